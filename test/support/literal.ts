import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** A code block of a Markdown document. */
export interface Block {
  language: string
  text: string
}

/** Returns the code blocks of a document, in order. */
export const blocksOf = (page: string): Block[] =>
  [...page.matchAll(/^```(\w*)\n([\s\S]*?)\n```$/gm)].map(([, language = '', block = '']) => ({ language, text: block }))

export interface Output {
  code: number | null
  out: string
  errors: string
}

/** A folder in which an agent runs commands, each in a new shell. */
export interface Workplace {
  folder: string
  /** Runs a command in a new shell, and returns when the shell has ended. Background processes may still run. */
  run(command: string, environment?: Record<string, string>): Promise<Output>
  remove(): Promise<void>
}

/** Creates an empty folder. Commands run in this shell, and it is `sh` for them. */
export async function createWorkplace(shell: 'bash' | 'dash', { showsStatus = false } = {}): Promise<Workplace> {
  const home = await mkdtemp(join(tmpdir(), 'schoolgate-agent-'))
  const [folder, programs] = [join(home, 'work'), join(home, 'programs')]
  await mkdir(folder)
  await mkdir(programs)
  await symlink(`/usr/bin/${shell}`, join(programs, 'sh'))
  await symlink(process.execPath, join(programs, 'node'))
  // Reports the status of each response on standard error, which the commands of documents do not print.
  if (showsStatus)
    await writeFile(join(programs, 'curl'), `#!/bin/sh\nexec /usr/bin/curl -w '%{stderr}<%{http_code}>' "$@"\n`, { mode: 0o755 })
  return {
    folder,
    async run(command, environment = {}) {
      const child = spawn('sh', ['-c', command], {
        cwd: folder,
        env: { PATH: `${programs}:${process.env.PATH}`, HOME: home, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
      const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
      return { code, out, errors }
    },
    remove: () => rm(home, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/**
 * Compares a value with the sample of a document. `…` in a text is any text, the text `…` is any value, and members that the sample leaves
 * out may exist. Each item of a sample list must match an item of the list. Returns the differences.
 */
export function differences(actual: unknown, sample: unknown, at = 'response'): string[] {
  if (sample === '…') return actual === undefined ? [`${at} is missing`] : []
  if (typeof sample === 'string' && sample.includes('…')) {
    const form = new RegExp(`^${sample.split('…').map(RegExp.escape).join('[\\s\\S]*')}$`)
    return typeof actual === 'string' && form.test(actual) ? [] : [`${at} is ${JSON.stringify(actual)}, not ${sample}`]
  }
  if (Array.isArray(sample)) {
    if (!Array.isArray(actual)) return [`${at} is ${JSON.stringify(actual)}, not a list`]
    return sample.flatMap((one, index) =>
      actual.some((other) => differences(other, one).length === 0)
        ? []
        : [`${at}[${index}] ${JSON.stringify(one)} is not in ${JSON.stringify(actual)}`],
    )
  }
  if (typeof sample === 'object' && sample !== null) {
    if (typeof actual !== 'object' || actual === null) return [`${at} is ${JSON.stringify(actual)}, not an object`]
    return Object.entries(sample).flatMap(([name, value]) => differences(Reflect.get(actual, name), value, `${at}.${name}`))
  }
  return actual === sample ? [] : [`${at} is ${JSON.stringify(actual)}, not ${JSON.stringify(sample)}`]
}
