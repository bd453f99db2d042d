import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { toPublicId } from '../../src/base/ids.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { type Gate, openGate } from '../../test/security/gate.ts'
import { startNginx } from '../../test/support/nginx.ts'
import { platformKey } from '../../test/support/platform.ts'
import { until } from '../../test/support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../../test/support/process.ts'
import { addPerson } from '../../test/support/service.ts'
import { newProduct } from '../../test/support/shop.ts'
import { type Disks, ownDisks } from './disks.ts'
import type { Ledger } from './ledger.ts'
import { createPostgres, type PostgresServer } from './servers/postgresServer.ts'
import { createRedis, type RedisServer } from './servers/redisServer.ts'
import { startReceiver, type WebhookReceiver } from './webhookReceiver.ts'

/** The e-mail addresses of the people who exist, by role. */
export const people = {
  owner: 'owner@example.com',
  learners: Array.from({ length: 12 }, (_, index) => `learner${index}@example.org`),
}

/** The parts of an installation that the load and its verification use. */
export interface Target {
  issuer: string
  /** Public ids of the products that orders buy. */
  products: readonly string[]
  /** The processes that were not asked to stop. All, if there is none. */
  available(): ServiceProcess[]
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /** Everything that the processes have printed. */
  logs(): string[]
  stop(): Promise<void>
}

/** Everything that a run starts: nginx, two processes of the service, PostgreSQL, Redis, and a receiver of webhooks. */
export interface Installation extends Target {
  home: Home
  programs: string
  disks: Disks | undefined
  /** The service reaches its stores through these. */
  gates: { postgres: Gate; redis: Gate }
  /** The servers that are in use. A failure may replace them. */
  postgres: PostgresServer
  redis: RedisServer
  processes: ServiceProcess[]
  /** The environment of the service. */
  environment: Record<string, string>
  /** Starts the process with this index, of the release in this folder. */
  start(index: number, folder?: string): Promise<void>
  /** Sends SIGTERM to the process with this index, and waits for its end. */
  stopProcess(index: number): Promise<void>
  /** Writes the configuration of the school with these changes. */
  configure(changes?: object): Promise<void>
  /** True if both processes are running and ready. */
  isReady(): Promise<boolean>
}

export interface InstallationOptions {
  /** The folder of the release that runs first. */
  folder?: string
  /** Creates the people and products. Returns the public ids of the products. */
  addData?(installation: Installation): Promise<string[]>
  /** Further variables of the processes. */
  variables?: Record<string, string>
}

export async function startInstallation(
  programs: string,
  ledger: Ledger,
  { folder: first, addData = ({ postgres }) => populate(postgres.url), variables = {} }: InstallationOptions = {},
): Promise<Installation> {
  const disks = ownDisks()
  const undo: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    return await build()
  } catch (error) {
    await stop()
    throw error
  }

  async function build(): Promise<Installation> {
    const [postgres, redis] = [await createPostgres({ programs, disk: disks?.database }), await createRedis()]
    const gates = { postgres: await openGate(postgres.port), redis: await openGate(redis.port) }
    const receiver = await startReceiver(ledger.webhooks)
    const [port, plainPort] = [await freePort(), await freePort()]
    const ports = [await freePort(), await freePort()]
    const issuer = `https://127.0.0.1:${port}`
    const oauth = { refresh_window_seconds: refreshWindowSeconds }
    // Sends webhooks of apps immediately. Release 1.0.0 does not know the key.
    const limits = { storage: { uploads_per_minute: 10_000 }, ...(first === undefined && { apps: { outgoing_delay: 0 } }) }
    const home = await createHome({ issuer, oauth, server: { drain_seconds: 1, trusted_proxies: ['loopback'], ...limits } })
    const data = disks ? disks.files : home.data
    await mkdir(data, { recursive: true })
    const environment = {
      DATABASE_URL: `postgres://school@127.0.0.1:${gates.postgres.port}/school`,
      REDIS_URL: `redis://127.0.0.1:${gates.redis.port}`,
      PLATFORM_KEY: platformKey,
      DATA_DIR: data,
      DEMO: 'off',
      LOG_LEVEL: 'warn',
      ...variables,
    }
    const [earlier, running]: [string[], ServiceProcess[]] = [[], []]
    const stopping = new Set<number>()
    const nginx = await startNginx({ port, plainPort, upstreams: ports })
    const installation: Installation = {
      ...{ issuer, home, programs, disks, gates, postgres, redis, environment, processes: running, products: [] },
      async start(index, folder = first) {
        const old = running[index]
        if (old) earlier.push(old.output())
        running[index] = await startProcess({ home, port: ports[index] as number, environment, ...(folder && { folder }) })
        stopping.delete(index)
      },
      async stopProcess(index) {
        stopping.add(index)
        const code = await running[index]?.stop()
        if (code !== 0) throw new Error(`a process ended with ${code} after SIGTERM: ${running[index]?.output().slice(-2000)}`)
      },
      available() {
        const left = running.filter((_, index) => !stopping.has(index))
        return left.length > 0 ? left : running
      },
      configure: (changes = {}) => configureSchool(home, receiver, { issuer, ...changes }),
      async isReady() {
        const replies = await Promise.all(
          running.map(async ({ admin, child }) => child.exitCode === null && (await fetch(`${admin}/readyz`)).ok),
        )
        return replies.length === ports.length && replies.every(Boolean)
      },
      query: (text, values) => installation.postgres.asSuperuser(async (client) => (await client.query(text, values)).rows),
      logs: () => [...earlier, ...running.map((one) => one.output())],
      stop,
    }
    undo.push(
      () => home.remove(),
      () => installation.postgres.remove(),
      () => installation.redis.remove(),
      () => gates.postgres.close(),
      () => gates.redis.close(),
      () => receiver.close(),
      () => nginx.stop(),
      () => Promise.all(running.map((one) => one.kill())),
    )
    await installation.configure()
    for (const index of ports.keys()) await installation.start(index)
    await until(() => installation.isReady(), { what: 'both processes to be ready' })
    installation.products = await addData(installation)
    return installation
  }
}

/** Writes the configuration of the school, whose webhooks go to the receiver. */
export async function configureSchool(home: Home, receiver: WebhookReceiver, changes: object): Promise<void> {
  const secret = join(home.directory, 'secret')
  await writeFile(secret, `${receiver.secret}\n`)
  const webhooks = [{ name: 'soak', url: receiver.url, types: ['course', 'post'], secrets: [`file:${secret}`] }]
  const defaults = { name: 'Soak School', locale: 'en', time_zone: 'UTC', currency: 'EUR' }
  const school = { docs_url: 'https://docs.example.com', defaults, webhooks, webhook_private_hosts: ['127.0.0.1'] }
  await writeFile(join(home.config, 'schools/demo.yaml'), stringify({ ...school, ...changes }))
}

/** Seconds for which a used refresh token returns the same response again. */
export const refreshWindowSeconds = 30

async function populate(databaseUrl: string): Promise<string[]> {
  const store = await openDatabase({ databaseUrl, dataDirectory: tmpdir(), poolSize: 1 })
  try {
    const [{ id } = { id: '' }] = await store.sql.query<{ id: string }>('SELECT id FROM school')
    await addPerson(store, id, people.owner, 'owner')
    for (const email of people.learners) await addPerson(store, id, email, 'learner')
    return [toPublicId('dgp', await newProduct(store.sql, id, { price: 1900 }))]
  } finally {
    await store.close()
  }
}
