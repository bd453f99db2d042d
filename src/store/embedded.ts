import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PGlite, type PGliteOptions, type QueryOptions, type Transaction, types } from '@electric-sql/pglite'
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm'
import { PGliteDialect } from 'kysely'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { assembleDatabase } from './assembleDatabase.ts'
import { copyStatement } from './copyText.ts'
import type { Database } from './database.ts'
import { lockDirectory } from './directoryLock.ts'
import { createTransactionGuard, type TransactionGuard } from './transactionGuard.ts'

export interface EmbeddedOptions {
  /** Parent of the data; null keeps everything in memory. */
  dataDirectory: string | null
  /** What `dumpDataDir` of an earlier instance gave: a start from it takes a quarter of the time. */
  image?: Blob
}

/**
 * PostgreSQL inside this process. It survives the end of the process, also a forced one. It does not wait for the disk, so a power
 * failure can lose what was written last.
 */
export async function openEmbedded({ dataDirectory, image }: EmbeddedOptions): Promise<Database> {
  const directory = dataDirectory === null ? null : join(dataDirectory, 'db')
  if (dataDirectory !== null) await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
  const lock = directory === null ? undefined : await lockDirectory(directory)
  const guard = createTransactionGuard()
  const running = new Set<string>()
  let pglite: Embedded
  try {
    pglite = new Embedded(guard, {
      ...(directory !== null && { dataDir: directory }),
      ...(image && { loadDataDir: image }),
      extensions: { pg_trgm },
      parsers: { [types.INT8]: String, [types.DATE]: String },
      startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB', '-c', 'TimeZone=UTC'],
    })
    await pglite.waitReady
  } catch (error) {
    lock?.release()
    throw error
  }

  return assembleDatabase(
    {
      kind: 'embedded',
      dialect: new PGliteDialect({ pglite }),
      prismaAdapter: () => new PrismaPGlite(pglite),
      query: async <Row extends object>(text: string, values: readonly unknown[] = []) => (await pglite.query<Row>(text, [...values])).rows,
      script: (work) =>
        pglite.transaction((transaction) =>
          work({
            query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
              (await transaction.query<Row>(text, [...values])).rows,
            runFile: async (text) => void (await transaction.exec(text)),
            // It takes a whole file only: who has many rows brings them in parts.
            copyIn: async (table, columns, lines) =>
              void (await transaction.query(copyStatement(table, columns, "'/dev/blob'"), [], { blob: new Blob([...lines]) })),
          }),
        ),
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

/**
 * Lets timers and sockets have their turn: PGlite answers within the same turn of the event loop, so chained queries would keep
 * everything else waiting until the last of them is done.
 */
class Embedded extends PGlite {
  readonly #guard: TransactionGuard
  constructor(guard: TransactionGuard, options: PGliteOptions) {
    super(options)
    this.#guard = guard
  }
  override async query<Row>(text: string, values?: unknown[], options?: QueryOptions) {
    this.#guard.assertOutside('the database')
    try {
      return await super.query<Row>(text, values, options)
    } finally {
      await setImmediate()
    }
  }
  override async transaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    this.#guard.assertOutside('the database')
    try {
      return await super.transaction(work)
    } finally {
      await setImmediate()
    }
  }
}
