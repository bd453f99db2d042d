/** Two small disks, which a run can fill without filling those of the machine. */
import { execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const variable = 'SOAK_DISKS'

/** Folders on the small disks; undefined if this machine does not permit mounts. */
export interface Disks {
  /** For the tables of PostgreSQL. */
  database: string
  /** For DATA_DIR, with the files of the school. */
  files: string
}

const megabytes = { database: 512, files: 48 } as const

/** Returns the disks of this process; undefined before `runWithDisks` has started it again, or if there are none. */
export function ownDisks(): Disks | undefined {
  const directory = process.env[variable]
  return directory ? disksIn(directory) : undefined
}

/** True if `runWithDisks` has started this process. */
export const isWithDisks = (): boolean => process.env[variable] !== undefined

const disksIn = (directory: string): Disks => ({ database: join(directory, 'database'), files: join(directory, 'files') })

/**
 * Starts this program again in a mount namespace with two small disks, which end with it; without disks if the machine permits no mounts.
 * Works without root: the program then keeps its user. Returns the exit code.
 */
export async function runWithDisks(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-soak-'))
  const { database, files } = disksIn(directory)
  const mount = (path: string, size: number): string => `mkdir '${path}' && mount -t tmpfs -o size=${size}m,mode=777 tmpfs '${path}'`
  const script = `chmod 755 '${directory}' && ${mount(database, megabytes.database)} && ${mount(files, megabytes.files)} && exec "$@"`
  const namespace = ['--mount', 'sh', '-c', script, 'sh']
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0]
  const before = uid === 0 ? namespace : ['--map-root-user', ...namespace, 'unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`]
  const permitted = await run('unshare', [...before, 'true']).then(
    () => true,
    () => false,
  )
  // The attempt has created the folders.
  await rm(directory, { recursive: true, force: true })
  if (permitted) await run('mkdir', [directory])
  const self = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const [command = '', ...args] = permitted ? ['unshare', ...before, ...self] : self
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, [variable]: permitted ? directory : '' } })
  // The child gets Ctrl-C as well, and removes what it created.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? 1)))
  await rm(directory, { recursive: true, force: true })
  return code
}
