import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { root } from '../../../src/operate/serve/programFile.mjs'

export interface BundledCommand {
  args: string[]
  variables: Record<string, string>
  /** The standard input. */
  input: string
}

export interface BundledOutcome {
  exitCode: number | null
  out: string
  err: string
  /** The warnings of Node. */
  warnings: string[]
}

export type BundledCli = (command: BundledCommand) => Promise<BundledOutcome>

/** Runs the program from the bundle in one process for all commands. If a command ends the process, the next one starts another. */
export function bundledCli(directory: string): { run: BundledCli; stop(): void } {
  let child: ChildProcess | undefined
  let printed = ''
  async function start(): Promise<ChildProcess> {
    const started = fork(join(root, 'test/operate/cli/bundledProgram.ts'), { cwd: directory, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
    for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk) => (printed += chunk))
    started.once('exit', () => (child = undefined))
    await Promise.race([once(started, 'message'), once(started, 'exit')])
    if (started.exitCode !== null) throw new Error(`the process ended with ${started.exitCode}: ${printed}`)
    return started
  }
  return {
    async run(command) {
      child ??= await start()
      const running = child
      printed = ''
      const done = new AbortController()
      const options = { signal: done.signal }
      const ended = once(running, 'close', options).then(([code]) => ({ exitCode: code as number | null, out: '', err: '', warnings: [] }))
      const answered = once(running, 'message', options).then(([message]) => message as BundledOutcome)
      running.send(command)
      const outcome = await Promise.race([answered, ended])
      // Whichever comes later is not awaited any more.
      for (const later of [answered, ended]) later.catch(() => undefined)
      done.abort()
      return { ...outcome, err: outcome.err + printed }
    },
    stop: () => void child?.kill(),
  }
}

/** Runs one command in a separate process, as an operator does. Warnings of Node are in `err`. */
export const runProcess =
  (directory: string): BundledCli =>
  async ({ args, variables, input }) => {
    const child = spawn(process.execPath, [join(root, 'src/operate/cli/main.mjs'), ...args], {
      cwd: directory,
      stdio: 'pipe',
      env: {
        ...{ PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, RUN_FROM: 'bundle' },
        ...variables,
      },
    })
    child.stdin.on('error', () => undefined).end(input)
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
    return { exitCode: child.exitCode, out, err, warnings: [] }
  }
