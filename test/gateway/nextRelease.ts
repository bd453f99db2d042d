import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { entryIn } from '../support/process.ts'

const root = resolve(import.meta.dirname, '../..')

/** A release that is in a folder. */
export interface Program {
  folder: string
  /** Runs a command of `schoolgate`. Returns its exit code, its standard output, and that with its messages. */
  schoolgate(
    args: readonly string[],
    environment: Readonly<Record<string, string>>,
    input?: string,
  ): Promise<{ code: number; out: string; output: string }>
}

/** A copy of the program with more migrations. */
export interface Release extends Program {
  remove(): Promise<void>
}

export const programIn = (folder: string): Program => ({
  folder,
  async schoolgate(args, environment, input = '') {
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...environment }
    const running = promisify(execFile)(process.execPath, [entryIn(folder, 'src/operate/cli/main'), ...args], { cwd: folder, env })
    running.child.stdin?.end(input)
    return await running.then(
      ({ stdout, stderr }) => ({ code: 0, out: stdout, output: stdout + stderr }),
      ({ code, stdout, stderr }) => ({ code, out: String(stdout), output: `${stdout}${stderr}` }),
    )
  },
})

/** Creates the release after this one: the same program, which brings the migrations. Their names sort after all existing ones. */
export async function createRelease(migrations: Readonly<Record<string, string>>): Promise<Release> {
  const folder = await mkdtemp(join(tmpdir(), 'schoolgate-release-'))
  // The bundle is used as long as no source is newer.
  for (const part of ['src', 'views', 'prisma', 'package.json'])
    await cp(join(root, part), join(folder, part), { recursive: true, preserveTimestamps: true })
  for (const part of ['node_modules', 'config', 'demo']) await symlink(join(root, part), join(folder, part))
  for (const [name, text] of Object.entries(migrations)) {
    await mkdir(join(folder, 'prisma/migrations', name))
    await writeFile(join(folder, 'prisma/migrations', name, 'migration.sql'), text)
  }
  return {
    ...programIn(folder),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
