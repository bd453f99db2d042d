import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { stringify } from 'yaml'
import { neededBy } from '../../scripts/importsOf.ts'
import { builtOnce } from './builtOnce.ts'
import { imageKey, unpackEmbedded } from './databases.ts'
import { until } from './poll.ts'

export interface ServiceProcess {
  issuer: string
  /** Address of the admin port. */
  admin: string
  child: ChildProcess
  /** Everything the process printed so far. */
  output(): string
  /** Sends SIGTERM, and returns the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL: no farewell. */
  kill(): Promise<void>
}

export interface ProcessOptions {
  /** The folders of the configuration and the data, shared by the processes of one test. */
  home: Home
  port?: number
  environment?: Record<string, string>
  /** The folder of the program: another release. */
  folder?: string
  /** `npm start` as a stranger types it, instead of the program itself. */
  viaNpm?: boolean
  /** Creates the embedded database in this process, which takes as long as its start. Otherwise the process finds one without rows. */
  isFirstStart?: boolean
  /** Gives the process an embedded database in which the demo school is, so that the start does not create it. */
  hasDemo?: boolean
}

export interface Home {
  directory: string
  config: string
  data: string
  remove(): Promise<void>
}

const root = resolve(import.meta.dirname, '../..')
export const rootSecret = 'a root secret for child processes that is long enough'

export interface HomeOptions {
  /** Contents of oauth.yaml and server.yaml. */
  oauth?: object
  server?: object
  issuer?: string
}

/** Returns the path of an entry point in the folder of a release: it is TypeScript in earlier ones, and 1.0.0 has the program in `src/cli`. */
export const entryIn = (folder: string, path: string): string =>
  [`${path}.mjs`, `${path}.ts`].find((one) => existsSync(join(folder, one))) ?? `${path.replace('operate/', '')}.ts`

/** Creates a folder with a configuration: one school, whose issuer is the process's address or the given one. */
export async function createHome({ oauth = {}, server = {}, issuer }: HomeOptions = {}): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-home-'))
  const [config, data] = [join(directory, 'config'), join(directory, 'data')]
  await mkdir(join(config, 'schools'), { recursive: true })
  await writeFile(join(config, 'oauth.yaml'), stringify(oauth))
  // No gateway is in front of a test.
  await writeFile(join(config, 'server.yaml'), stringify({ drain_seconds: 0, ...server }))
  const school = {
    docs_url: 'https://docs.example.com',
    ...(issuer ? { issuer } : {}),
    defaults: { name: 'Process School', locale: 'en', time_zone: 'UTC', currency: 'EUR' },
  }
  await writeFile(join(config, 'schools/demo.yaml'), stringify(school))
  return { directory, config, data, remove: () => rm(directory, { recursive: true, force: true }) }
}

/** Starts the service from the bundle as a separate process and waits until it is ready. */
export async function startProcess({
  home,
  port,
  environment = {},
  folder = root,
  viaNpm = false,
  isFirstStart = false,
  hasDemo = false,
}: ProcessOptions): Promise<ServiceProcess> {
  if (!isFirstStart && !environment.DATABASE_URL && !existsSync(home.data)) await (hasDemo ? unpackDemo : unpackEmbedded)(home.data)
  const own = port ?? (await freePort())
  let admin = own
  // A given port is free until now, so the system may offer it.
  while (admin === own) admin = await freePort()
  const command: [string, string[]] = viaNpm ? ['npm', ['start', '--silent']] : [process.execPath, [entryIn(folder, 'src/main')]]
  const child = spawn(...command, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(own),
      ADMIN_PORT: String(admin),
      CONFIG_DIR: home.config,
      DATA_DIR: home.data,
      SECRET_KEY: rootSecret,
      DEMO_PASSWORD: 'correct horse battery staple',
      RATE_LIMITS: 'off',
      // As the image does. A stranger sets nothing, and gets the bundle as well.
      ...(viaNpm ? {} : { RUN_FROM: 'bundle' }),
      ...environment,
    },
  })
  const killGroup = (): void => void (isGone(child.pid as number) || process.kill(-(child.pid as number), 'SIGKILL'))
  // A test that fails before it stops the service leaves no process behind. Vitest ends its workers with SIGTERM.
  const endWithWorker = (): void => {
    killGroup()
    process.kill(process.pid, 'SIGTERM')
  }
  process.once('exit', killGroup).once('SIGTERM', endWithWorker)
  child.once('exit', () => process.off('exit', killGroup).off('SIGTERM', endWithWorker))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'exit')
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) return true
    return (await fetch(`http://127.0.0.1:${admin}/readyz`)).ok
  }
  await until(isReady, { what: 'the service to be ready' }).catch((error) => {
    killGroup()
    throw new Error(`${error.message}\n${output}`, { cause: error })
  })
  if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${output}`)
  // The group: npm runs between this process and the service.
  const signal = async (name: NodeJS.Signals): Promise<number | null> => {
    // npm can end before the service that it started.
    if (!isGone(child.pid as number)) process.kill(-(child.pid as number), name)
    await exited
    // The child of npm may outlive it for a moment and still hold the ports and the data.
    await until(() => isGone(child.pid as number), { what: `the service to end after ${name}` })
    return child.exitCode
  }
  return {
    issuer: `http://127.0.0.1:${own}`,
    admin: `http://127.0.0.1:${admin}`,
    child,
    output: () => output,
    stop: () => signal('SIGTERM'),
    kill: async () => void (await signal('SIGKILL')),
  }
}

/** Writes the data of a stopped service with the demo school into a data directory. */
async function unpackDemo(data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 })
  await tar('-xf', await demoImageFile(), '-C', data)
}

/** Returns an archive of the data after a first start. It is rebuilt each day, because the demo counts from today, and when its data or its loader change. */
async function demoImageFile(): Promise<string> {
  const cache = join(root, 'node_modules/.cache')
  return await builtOnce(join(cache, `demo-${await demoKey()}.tar`), async (draft) => {
    const home = await createHome()
    try {
      await (await startProcess({ home, viaNpm: true, isFirstStart: true })).stop()
      await tar('-cf', draft, '-C', home.data, '.')
      for (const name of await readdir(cache)) if (/^demo-\w+\.tar$/.test(name)) await rm(join(cache, name), { force: true })
    } finally {
      await home.remove()
    }
  })
}

async function demoKey(): Promise<string> {
  const key = createHash('sha256')
    .update(await imageKey())
    .update(new Date().toISOString().slice(0, 10))
  const data = (await readdir(join(root, 'demo'), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = [...data.map((entry) => join(entry.parentPath, entry.name)), ...neededBy('src/operate/demo/makeDemoSchool.ts')]
  for (const file of files) key.update(file).update(await readFile(resolve(root, file)))
  return key.digest('hex').slice(0, 16)
}

const tar = (...options: string[]) => promisify(execFile)('tar', options)

/** Returns whether all processes of the group have ended. */
function isGone(group: number): boolean {
  try {
    process.kill(-group, 0)
    return false
  } catch {
    return true
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return port
}

/** Resident memory of a process now or at its peak, in megabytes. */
export async function memoryOf(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
}
