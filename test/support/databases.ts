/**
 * Real stores for tests, each test its own. The run reports a missing server and leaves its tests out;
 * with REQUIRE_SERVICES=1 its absence is a failure.
 */
import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { PGlite } from '@electric-sql/pglite'
import { Cluster } from 'ioredis'
import { Client } from 'pg'
import type { Database } from '../../src/database/connection/database.ts'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { migrate } from '../../src/database/migrations/migrate.ts'
import { createRedis, type RedisClient } from '../../src/database/redis/redis.ts'
import { builtOnce } from './builtOnce.ts'
import { setSessionLimits } from './pgBouncer.ts'
import { createReusedDatabases } from './reusedDatabases.ts'

const root = resolve(import.meta.dirname, '../..')
/** The PostgreSQL of the tests. */
export const postgresUrl = process.env.TEST_DATABASE_URL ?? 'postgres://postgres@127.0.0.1:5432/postgres'
/** The Redis of the tests: a server, a cluster or sentinels. */
export const redisUrl = process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379'

/** The project's own migrations. */
export const migrationsDirectory = join(root, 'prisma/migrations')

export interface TestDatabase {
  database: Database
  /** Where a second process would find it; an embedded one has no second. */
  url?: string
  /** Closes the database and deletes it. */
  drop(): Promise<void>
}

interface DatabaseKind {
  name: string
  open(): Promise<TestDatabase>
}

/**
 * Returns every kind of database that is available. For suites that prove how the databases behave:
 * `describe.each(await everyDatabase())('$name', ({ open }) => { … })`
 */
export async function everyDatabase(): Promise<DatabaseKind[]> {
  const { postgresql } = await availableServices()
  return [{ name: 'embedded', open: openEmbeddedTest }, ...(postgresql ? [{ name: 'postgresql', open: openPostgresqlTest }] : [])]
}

/**
 * Returns the database for tests of the school's rules: PostgreSQL if it is available, otherwise the embedded one.
 * With TEST_DATABASES=both, returns every kind: the embedded half takes two thirds of the time and rarely finds further errors.
 */
export async function databasesToTest(): Promise<DatabaseKind[]> {
  const every = await everyDatabase()
  return process.env.TEST_DATABASES === 'both' ? every : every.slice(-1)
}

/** Opens a migrated throwaway database of the kind that `databasesToTest` returns last. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const { postgresql } = await availableServices()
  return postgresql ? openPostgresqlTest() : openEmbeddedTest()
}

async function openEmbeddedTest(): Promise<TestDatabase> {
  const database = await embeddedDatabase()
  return { database, drop: () => database.close() }
}

async function openPostgresqlTest(): Promise<TestDatabase> {
  const name = await reused.take()
  const url = throughPooler(addressOf(name))
  const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 5 })
  return {
    database,
    url,
    async drop() {
      await database.close()
      reused.giveBack(name)
    },
  }
}

/** The same database as a second process sees it; the embedded one is held by one process, so it is the same. */
export async function openDatabaseTwice({ database, url }: TestDatabase): Promise<{ database: Database; close(): Promise<void> }> {
  if (url === undefined) return { database, close: async () => undefined }
  const second = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir(), poolSize: 3 })
  return { database: second, close: () => second.close() }
}

/** Which servers answer. */
export async function availableServices(): Promise<{ postgresql: boolean; redis: boolean }> {
  const [postgresql, redis] = await Promise.all([
    answers(`PostgreSQL (${new URL(postgresUrl).host}, TEST_DATABASE_URL)`, () =>
      withServer(async (client) => void (await client.query('SELECT 1'))),
    ),
    answers(`Redis (${redisUrl}, TEST_REDIS_URL)`, () => withRedis(async (redis) => void (await redis.ping()))),
  ])
  return { postgresql, redis }
}

async function answers(service: string, ask: () => Promise<void>): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (cause) {
    if (process.env.REQUIRE_SERVICES === '1') throw new Error(`${service} is required and does not answer`, { cause })
    process.stderr.write(`NOT RUN: everything that needs ${service}, which does not answer\n`)
    return false
  }
}

/** Creates a throwaway database on the server, migrated by default. */
export async function throwawayPostgres({ migrated = true } = {}): Promise<{ url: string; drop(): Promise<void> }> {
  const name = await createPostgres(migrated)
  return { url: throughPooler(addressOf(name)), drop: async () => dropLater(name) }
}

async function createPostgres(migrated = true): Promise<string> {
  const template = migrated ? process.env[templateVariable] : undefined
  const name = `${databasePrefix()}${randomBytes(6).toString('hex')}`
  await withServer(async (client) => {
    await client.query(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`)
    // No test kills the server, so commits do not need to wait for the disk.
    await client.query(`ALTER DATABASE ${name} SET synchronous_commit = off`)
  })
  const url = addressOf(name)
  await limitSessions(url)
  if (migrated && template === undefined) {
    const database = await openDatabase({ databaseUrl: url, dataDirectory: tmpdir() })
    await migrate(database, migrationsDirectory)
    await database.close()
  }
  return name
}

function addressOf(name: string): string {
  const address = new URL(postgresUrl)
  address.pathname = `/${name}`
  return address.toString()
}

/** The pooler of the run, as `mode@host:port`, through which the tested code reaches its databases. */
const [poolerMode, poolerHost = ''] = process.env.TEST_DATABASE_POOLER?.split('@') ?? []

function throughPooler(url: string): string {
  if (poolerMode === undefined) return url
  const address = new URL(url)
  address.host = poolerHost
  address.searchParams.set('pooler', poolerMode)
  return address.toString()
}

/** Sets the limits that a database needs behind a pooler in transaction mode. */
async function limitSessions(url: string): Promise<void> {
  if (poolerMode === 'transaction') await setSessionLimits(url)
}

const templateVariable = 'TEST_DATABASE_TEMPLATE'
const runVariable = 'TEST_DATABASE_RUN'
/** The names of all databases of a run begin with this. */
const databasePrefix = (): string => `schoolgate_test_${process.env[runVariable] ?? ''}`

let dropping: Promise<void> = Promise.resolve()
/** The databases of this worker. */
const reused = createReusedDatabases({ addressOf, create: createPostgres, drop: dropLater })

/**
 * Drops a database while the next tests run: PostgreSQL writes a checkpoint first, which takes up to a second. The rest is dropped
 * at the end of the run.
 */
function dropLater(name: string): void {
  dropping = dropping.then(() => dropDatabase(name)).catch(() => undefined)
}

const dropDatabase = (name: string): Promise<void> =>
  withServer(async (client) => void (await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)))

async function dropAll(): Promise<void> {
  const prefix = databasePrefix()
  const left = await withServer(async (client) => {
    const { rows } = await client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE starts_with(datname, $1)', [prefix])
    return rows.map(({ datname }) => datname)
  })
  for (const name of left) await dropDatabase(name)
}

/** Creates the template of all migrated databases once for a run. A copy takes a fifth of the time of the migrations. */
export async function prepareDatabases(): Promise<() => Promise<void>> {
  // Before the tests, because several workers would make it at the same time. A run of few tests may not need it.
  if (process.env.TEST_EMBEDDED_IMAGE !== 'on demand') await migratedImage()
  if (!(await availableServices()).postgresql) return async () => {}
  process.env[runVariable] = `${randomBytes(3).toString('hex')}_`
  const { url } = await throwawayPostgres()
  process.env[templateVariable] = new URL(url).pathname.slice(1)
  return async () => {
    await dropAll()
    delete process.env[templateVariable]
    delete process.env[runVariable]
  }
}

/** A migrated database in memory. */
export async function embeddedDatabase(): Promise<Database> {
  return await openDatabase({ dataDirectory: '', memory: true, image: await migratedImage() })
}

/** Returns an unused key prefix. */
export async function throwawayRedis(): Promise<{ url: string; prefix: string; drop(): Promise<void> }> {
  const prefix = `schoolgate_test_${randomBytes(6).toString('hex')}:`
  return {
    url: redisUrl,
    prefix,
    drop: () =>
      withRedis(async (redis) => {
        for (const node of redis instanceof Cluster ? redis.nodes('master') : [redis]) {
          for await (const keys of node.scanStream({ match: `${prefix}*`, count: 1000 })) {
            await Promise.all((keys as string[]).map((key) => node.unlink(key)))
          }
        }
      }),
  }
}

/** Writes a migrated embedded database, not running, into a data directory. */
export async function unpackEmbedded(dataDirectory: string): Promise<void> {
  const directory = join(dataDirectory, 'db')
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await promisify(execFile)('tar', ['-xf', await migratedImageFile(), '-C', directory])
}

/** A dump of a migrated embedded database. Starting from it saves two seconds. */
async function migratedImage(): Promise<Blob> {
  // Read completely: a blob of the file would be void as soon as another process replaces the file.
  return new Blob([await readFile(await migratedImageFile())], { type: 'application/x-tar' })
}

/** Returns the file of the dump. It is rebuilt when a migration or the engine changes. */
async function migratedImageFile(): Promise<string> {
  const file = join(root, `node_modules/.cache/embedded-${await imageKey()}.tar`)
  return await builtOnce(file, async (draft) => await writeFile(draft, await makeImage()))
}

/** Identifies the migrations and the engine. */
export async function imageKey(): Promise<string> {
  const key = createHash('sha256').update(readFileSync(join(root, 'node_modules/@electric-sql/pglite/package.json')))
  for (const name of (await readdir(migrationsDirectory, { recursive: true })).toSorted()) {
    if (name.endsWith('.sql')) key.update(name).update(await readFile(join(migrationsDirectory, name)))
  }
  return key.digest('hex').slice(0, 16)
}

async function makeImage(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'schoolgate-image-'))
  try {
    const database = await openDatabase({ dataDirectory: directory })
    await migrate(database, migrationsDirectory)
    await database.close()
    const pglite = await PGlite.create(join(directory, 'db'))
    // Not packed: it is written once, and read by every test file.
    const image = await pglite.dumpDataDir('none')
    await pglite.close()
    return Buffer.from(await image.arrayBuffer())
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

async function withServer<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: postgresUrl, connectionTimeoutMillis: 2000 })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

async function withRedis<Result>(work: (redis: RedisClient) => Promise<Result>): Promise<Result> {
  const redis = createRedis(redisUrl, { onError: () => {} })
  await redis.connect(2)
  try {
    return await work(redis.client)
  } finally {
    await redis.close()
  }
}
