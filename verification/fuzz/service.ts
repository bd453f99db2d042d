import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { throwawayPostgres } from '../../test/support/databases.ts'
import { ownRedis } from '../../test/support/ownServers.ts'
import { until } from '../../test/support/poll.ts'
import { createHome, freePort, rootSecret } from '../../test/support/process.ts'
import { password } from '../../test/support/service.ts'

const root = resolve(import.meta.dirname, '../..')
const preload = pathToFileURL(resolve(import.meta.dirname, 'watchProcess.ts')).href

/** The service in a separate process, on throwaway stores, with the demo school and without rate limits. */
export interface WatchedService {
  origin: string
  /** The longest time since the last call for which the event loop was blocked, in milliseconds. */
  longestBlock(): Promise<number>
  /** Memory of the process after a garbage collection, in megabytes. */
  memory(): Promise<number>
  isAlive(): boolean
  /** Logged failures since the last call. */
  failures(): string[]
  stop(): Promise<void>
}

export async function startWatched(): Promise<WatchedService> {
  const [postgres, redis, home] = await Promise.all([throwawayPostgres({ migrated: false }), ownRedis(), createHome()])
  const [port, admin] = [await freePort(), await freePort()]
  const child = fork(join(root, 'src/main.mjs'), [], {
    cwd: root,
    execArgv: ['--import', preload],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: String(port),
      ADMIN_PORT: String(admin),
      CONFIG_DIR: home.config,
      DATA_DIR: home.data,
      DATABASE_URL: postgres.url,
      REDIS_URL: redis.url,
      SECRET_KEY: rootSecret,
      DEMO: 'on',
      DEMO_PASSWORD: password,
      RATE_LIMITS: 'off',
      LOG_LEVEL: 'warn',
    },
  })
  const failures: string[] = []
  let rest = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      failures.push(...lines.filter((line) => /"level":[56]0/.test(line) || !line.startsWith('{')))
    })
  }
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null
  const killed = (): void => void child.kill('SIGKILL')
  process.once('exit', killed)
  const isReady = async (): Promise<boolean> => !isAlive() || (await fetch(`http://127.0.0.1:${admin}/readyz`)).ok
  await until(isReady, { what: 'the service to be ready', deadlineMs: 300_000 })
  if (!isAlive()) throw new Error(`the service ended with ${child.exitCode}: ${failures.join('\n')}`)
  failures.length = 0
  return {
    origin: `http://127.0.0.1:${port}`,
    longestBlock: async () => (await ask<{ longestMs: number }>(child, 'delay')).longestMs,
    memory: async () => (await ask<{ bytes: number }>(child, 'memory')).bytes / 2 ** 20,
    isAlive,
    failures: () => failures.splice(0),
    async stop() {
      process.off('exit', killed)
      if (isAlive()) {
        const ended = once(child, 'exit')
        child.kill('SIGTERM')
        await ended
      }
      await Promise.all([postgres.drop(), redis.stop(), home.remove()])
    },
  }
}

async function ask<Reply>(child: ChildProcess, message: string): Promise<Reply> {
  const replied = once(child, 'message')
  child.send(message)
  const [reply] = (await replied) as [Reply]
  return reply
}
