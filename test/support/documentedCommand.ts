import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Returns the first block of shell commands below a heading of docs/operate.md, by lines. */
export function documentedCommands(heading: string): string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../docs/operate.md'), 'utf8')
  const section = text.slice(text.indexOf(`### ${heading}`))
  const [, block = ''] = /```sh run=questions\n([\s\S]*?)```/.exec(section) ?? []
  return block.split('\n').filter(Boolean)
}

/** Runs a shell command in a folder with the log as `service.log`, and returns what it prints. */
export async function runWithLog(command: string, log: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-operate-'))
  try {
    await writeFile(join(directory, 'service.log'), log)
    return (await run('sh', ['-c', command], { cwd: directory })).stdout
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** Returns the commands of the blocks of a document that are marked with `run=` and this name, one for each line, without comments. */
export function blockOf(document: string, name: string): string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../..', document), 'utf8')
  const blocks = [...text.matchAll(new RegExp(`^\`\`\`sh run=${name}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(([, block = '']) => block)
  return blocks
    .join('')
    .replaceAll('\\\n', '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
}
