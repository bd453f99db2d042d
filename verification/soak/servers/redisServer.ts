import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import { until } from '../../../test/support/poll.ts'
import { freePort } from '../../../test/support/process.ts'
import { suspend } from './suspend.ts'

/** A Redis that writes every command to its log before it answers, so that a restart loses nothing. */
export interface RedisServer {
  port: number
  /** SIGKILL. */
  kill(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
  /** Sends a command without the gate. */
  command(name: string, ...args: string[]): Promise<unknown>
  /** Stops the server and deletes its data. */
  remove(): Promise<void>
}

/** True if redis-server is installed. */
export async function hasRedisServer(): Promise<boolean> {
  const found = await promisify(execFile)('redis-server', ['--version']).catch(() => undefined)
  if (!found) process.stderr.write('NOT RUN: redis-server is not installed\n')
  return found !== undefined
}

export async function createRedis(): Promise<RedisServer> {
  const [port, directory] = [await freePort(), await mkdtemp(join(tmpdir(), 'schoolgate-redis-'))]
  const settings = ['--port', port, '--bind', '127.0.0.1', '--dir', directory, '--save', '', '--appendonly', 'yes', '--maxmemory', '0']
  let child: ChildProcess | undefined
  const killed = (): void => void child?.kill('SIGKILL')
  process.once('exit', killed)
  async function command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, retryStrategy: () => null, connectTimeout: 5000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return await client.call(name, ...args)
    } finally {
      client.disconnect()
    }
  }
  async function start(): Promise<void> {
    child = spawn('redis-server', [...settings.map(String), '--maxmemory-policy', 'noeviction'], { stdio: 'ignore' })
    await until(async () => (await command('PING')) === 'PONG', { what: 'Redis to answer' })
  }
  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }
  await start()
  return {
    port,
    start,
    kill,
    command,
    freeze: () => suspend(child, 'SIGSTOP'),
    thaw: () => suspend(child, 'SIGCONT'),
    async remove() {
      await kill()
      process.off('exit', killed)
      await rm(directory, { recursive: true, force: true })
    },
  }
}
