import { existsSync } from 'node:fs'
import { mkdir, readFile, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { PGlite, type PGliteOptions, type QueryOptions, type Transaction, types } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { PGliteDialect } from 'kysely'
import type { Tracing } from '../../base/log/tracing.ts'
import { outage } from '../../base/process/outage.ts'
import type { ConnectionWatch, FactGuard, MarkedChange } from '../facts/factGuard.ts'
import { assembleDatabase, type Connections } from './assembleDatabase.ts'
import type { Database } from './database.ts'
import { lockDirectory } from './directoryLock.ts'
import { makePrivate } from './makePrivate.ts'
import { createTransactionGuard, type TransactionGuard } from './servicePool.ts'
import { type TraceStatement, traceStatements } from './statementSpans.ts'
import { withinDeadline } from './withinDeadline.ts'

export interface EmbeddedOptions {
  /** Parent of the data; null keeps everything in memory. */
  dataDirectory: string | null
  facts: FactGuard
  tracing?: Tracing | undefined
  /** The result of `dumpDataDir` of an earlier instance: a start from it takes a quarter of the time. */
  image?: Blob
}

/**
 * PostgreSQL inside this process. It survives the end of the process, also a forced one. It does not wait for the disk, so a power
 * failure can lose what was written last.
 */
export async function openEmbedded({ dataDirectory, facts, tracing, image }: EmbeddedOptions): Promise<Database> {
  const directory = dataDirectory === null ? null : join(dataDirectory, 'db')
  if (dataDirectory !== null) await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = directory === null ? undefined : await lockDirectory(directory)
  const guard = createTransactionGuard()
  const running = new Set<string | number>()
  let pglite: Embedded
  keepCompilerSmall()
  try {
    const start = image ?? (await emptyCluster(directory))
    pglite = new Embedded(
      { guard, facts, tracing },
      {
        ...(directory !== null && { dataDir: directory }),
        ...(start && { loadDataDir: start }),
        extensions: { pg_trgm },
        parsers: { [types.INT8]: String, [types.DATE]: String },
        startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB', '-c', 'TimeZone=UTC'],
      },
    )
    await pglite.waitReady
    if (directory !== null) await makePrivate(directory)
  } catch (error) {
    lock?.release()
    throw error
  }

  // There is one session, so all kinds of work share it: no limit of a pool can hold here, and short statements are what keeps it free.
  const session: Connections = {
    dialect: new PGliteDialect({ pglite }),
    write: (work) => work(),
    prismaAdapter: async () => new (await import('pglite-prisma-adapter')).PrismaPGlite(pglite),
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) => (await pglite.query<Row>(text, [...values])).rows,
  }
  return assembleDatabase(
    {
      kind: 'embedded',
      facts,
      lanes: { api: session, authorization: session, background: session },
      figures: () => ({
        pools: (['api', 'authorization', 'background'] as const).map((pool) => ({ pool, max: 1, inUse: 0, idle: 0, waiting: 0 })),
        lostConnections: 0,
      }),
      async checkWrites() {
        if (directory !== null) await requireSpace(directory)
        await withinDeadline(pglite.query(writeCheck), 2000, 'the database')
      },
      script: (work) =>
        pglite.transaction((transaction) =>
          work({
            query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
              (await transaction.query<Row>(text, [...values])).rows,
            runFile: async (text) => void (await transaction.exec(text)),
          }),
        ),
      alone: async (text) => void (await pglite.query(text)),
      // There is no other instance: the directory is locked.
      async exclusively(name, work) {
        if (running.has(name)) return undefined
        running.add(name)
        try {
          return await work()
        } finally {
          running.delete(name)
        }
      },
      async end() {
        await pglite.close()
        lock?.release()
      },
    },
    guard,
  )
}

/** The log of the database has space in advance, so a record in it does not show that the disk is full. */
async function requireSpace(directory: string): Promise<void> {
  const { bavail: blocks, bsize: blockBytes } = await statfs(directory)
  if (blocks * blockBytes < leastFreeBytes) throw outage(`the disk of ${directory} is full`)
}

const leastFreeBytes = 1_048_576

/** A record in the log of the database, committed. */
const writeCheck = `SELECT pg_logical_emit_message(true, 'schoolgate', '')`

/**
 * V8's optimizing compiler takes up to 600 MB for one of PostgreSQL's functions, and the processor for seconds. What the baseline
 * compiler makes serves as many requests.
 */
function keepCompilerSmall(): void {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
}

/** Returns the image of a new database: initdb runs at installation, because it needs 500 MB. Returns undefined if a database exists, or if there is no image. */
async function emptyCluster(directory: string | null): Promise<Blob | undefined> {
  if (directory === null || existsSync(join(directory, 'PG_VERSION')) || !existsSync(emptyClusterFile)) return undefined
  return new Blob([await readFile(emptyClusterFile)], { type: 'application/gzip' })
}

/** Written by scripts/generate.ts. */
const emptyClusterFile = fileURLToPath(new URL('../../gen/embedded/image.tar.gz', import.meta.url))

interface EmbeddedContext {
  guard: TransactionGuard
  facts: FactGuard
  tracing?: Tracing | undefined
}

/**
 * Lets timers and sockets have their turn: PGlite answers within the same turn of the event loop, so chained queries would keep
 * everything else waiting until the last of them is done.
 */
class Embedded extends PGlite {
  readonly #guard: TransactionGuard
  readonly #facts: FactGuard
  readonly #traced: TraceStatement
  constructor({ guard, facts, tracing }: EmbeddedContext, options: PGliteOptions) {
    super(options)
    this.#guard = guard
    this.#facts = facts
    this.#traced = traceStatements(tracing)
  }
  override async query<Row>(text: string, values?: unknown[], options?: QueryOptions) {
    this.#guard.assertOutside('the database')
    const watch = this.#facts.watch()
    const named = watch.named()
    try {
      const result = await this.#traced(text, () =>
        super.query<Row>(text, values, { ...options, onNotice: (message) => watch.note(message) }),
      )
      if (!watch.isEmpty) await watch.settle(named)
      return result
    } finally {
      await setImmediate()
      this.#facts.answered()
    }
  }
  override async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    this.#guard.assertOutside('the database')
    const watch = this.#facts.watch()
    let change: MarkedChange | undefined
    try {
      const result = await super.transaction(async (transaction) => {
        const result = await work(noting(transaction, watch, this.#traced))
        if (!watch.isEmpty) change = await watch.begin()
        return result
      })
      await change?.end()
      return result
    } finally {
      await setImmediate()
    }
  }
}

/** Returns the same transaction. Its messages reach the watch, its statements the trace. */
function noting(transaction: Transaction, watch: ConnectionWatch, traced: TraceStatement): Transaction {
  const onNotice: QueryOptions['onNotice'] = (message) => watch.note(message)
  const [query, exec] = [transaction.query.bind(transaction), transaction.exec.bind(transaction)]
  return Object.assign(transaction, {
    query: <Row>(text: string, values?: unknown[], options?: QueryOptions) =>
      traced(text, () => query<Row>(text, values, { ...options, onNotice })),
    exec: (text: string, options?: QueryOptions) => exec(text, { ...options, onNotice }),
  })
}
