import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs a program for at most 20 minutes and returns its output. The error has the end of what the program printed. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { maxBuffer: 64 * 1_048_576, timeout: 20 * 60_000 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.slice(0, 6).join(' ')} …\n${`${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n')}`, {
      cause: error,
    })
  }
}

/** Returns whether a program succeeds. */
export const succeeds = (program: string, args: readonly string[]): Promise<boolean> =>
  run(program, args).then(
    () => true,
    () => false,
  )

export async function requirePodman(): Promise<void> {
  if (!(await succeeds('podman', ['--version']))) throw new Error('podman is missing: apt-get install podman crun')
}

/** Removes an image with the layers that only it needs. */
export const removeImages = (image: string): Promise<boolean> => succeeds('podman', ['rmi', '--force', image])

/** The restrictions of the manifests in `deploy`, with less memory. */
const restrictions = [
  ...['--read-only', '--tmpfs', '/tmp', '--cap-drop', 'all', '--security-opt', 'no-new-privileges'],
  ...['--memory', '512m', '--memory-swap', '512m', '--pids-limit', '200'],
]

/** Rootless containers and some machines cannot raise limits: containers keep those of this process. */
const host = ['--network', 'host', '--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']

/** The first of these sets of global options with which a restricted container runs. Old crun refuses hybrid control groups, which runc accepts. */
const runtimes: readonly string[][] = [[], ['--cgroup-manager', 'cgroupfs'], ['--cgroup-manager', 'cgroupfs', '--runtime', 'runc']]
let chosen: Promise<readonly string[]> | undefined

const podman = async (image: string): Promise<readonly string[]> => {
  chosen ??= (async () => {
    const problems: string[] = []
    for (const options of runtimes) {
      try {
        await run('podman', [...options, 'run', '--rm', ...host, ...restrictions, '--entrypoint', '/bin/true', image])
        return options
      } catch (error) {
        problems.push(String(error))
      }
    }
    throw new Error(`podman cannot run a container with limits here:\n${problems.join('\n')}`)
  })()
  return chosen
}

/** Runs a command in a new container of the image, and returns its output. */
export const runIn = async (image: string, command: readonly string[]): Promise<string> =>
  run('podman', [...(await podman(image)), 'run', '--rm', ...host, ...restrictions, image, ...command])

export interface Container {
  exec(...command: string[]): Promise<string>
  /** The state, for example `healthy` or the exit code. */
  inspect(format: string): Promise<string>
  /** Everything that it printed. */
  log(): string
  /** The most memory in bytes that the container used, if the kernel says so. */
  peakMemory(): Promise<number | undefined>
  /** Sends SIGTERM. Returns the exit code and the time in milliseconds. */
  stop(): Promise<{ code: number; ms: number }>
  remove(): Promise<void>
}

/** Starts the image with its own command. */
export async function startContainer(image: string, name: string, volume: string, environment: Record<string, string>): Promise<Container> {
  const options = await podman(image)
  const variables = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  const process = spawn(
    'podman',
    [...options, 'run', '--name', name, ...host, ...restrictions, '--volume', `${volume}:/data`, ...variables, image],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  let log = ''
  for (const stream of [process.stdout, process.stderr]) stream.on('data', (chunk) => (log += chunk))
  const exited = new Promise<number>((resolve) => process.once('exit', (code) => resolve(code ?? 1)))
  return {
    exec: (...command) => run('podman', [...options, 'exec', name, ...command]),
    inspect: async (format) => (await run('podman', ['inspect', '--format', format, name])).trim(),
    log: () => log,
    async peakMemory() {
      const pid = (await run('podman', ['inspect', '--format', '{{.State.Pid}}', name])).trim()
      const read =
        'for f in $(sed -n "s/^[0-9]*:memory://p" /proc/$1/cgroup); do cat /sys/fs/cgroup/memory$f/memory.max_usage_in_bytes; done; for f in $(sed -n "s/^0:://p" /proc/$1/cgroup); do cat /sys/fs/cgroup$f/memory.peak; done'
      const found = await execute('sh', ['-c', `(${read}) 2>/dev/null | head -n 1`, 'sh', pid]).then(
        ({ stdout }) => Number.parseInt(stdout, 10),
        () => Number.NaN,
      )
      return Number.isNaN(found) ? undefined : found
    },
    async stop() {
      const start = performance.now()
      await run('podman', [...options, 'kill', '--signal', 'TERM', name])
      const code = await exited
      return { code, ms: performance.now() - start }
    },
    async remove() {
      await succeeds('podman', [...options, 'rm', '--force', name])
    },
  }
}
