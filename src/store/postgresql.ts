import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PrismaPg } from '@prisma/adapter-pg'
import { PostgresDialect } from 'kysely'
import { Client, type ClientConfig, Pool, type PoolClient, types } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { from as copyFrom } from 'pg-copy-streams'
import { isOutage } from '../lib/outage.ts'
import { assembleDatabase } from './assembleDatabase.ts'
import { copyStatement } from './copyText.ts'
import type { Database } from './database.ts'
import { createTransactionGuard, type TransactionGuard } from './transactionGuard.ts'

export interface PostgresqlOptions {
  databaseUrl: string
  poolSize: number
  onError: (error: Error) => void
}

/** A database on a PostgreSQL server. Connections are made when they are needed. */
export function openPostgresql({ databaseUrl, poolSize, onError }: PostgresqlOptions): Database {
  const config = connectionConfig(databaseUrl)
  const guard = createTransactionGuard()
  const pool = new GuardedPool({ ...config, max: poolSize, query_timeout: patienceMs }, guard)
  pool.on('error', onError)
  // A connection that is lost while a transaction holds it tells nobody else: without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', onError))

  return assembleDatabase(
    {
      kind: 'postgresql',
      dialect: new PostgresDialect({ pool }),
      prismaAdapter: () => new PrismaPg(pool),
      async query<Row extends object>(text: string, values: readonly unknown[] = [], name?: string) {
        // Not `pool.query`: that throws the connection away on every error, also on a unique violation.
        const client = await pool.connect()
        let isLost = false
        try {
          return (await client.query<Row>({ text, values: [...values], ...(name && { name }) })).rows
        } catch (error) {
          // It is of no more use: it must not go back into the pool.
          isLost = isOutage(error)
          throw error
        } finally {
          client.release(isLost)
        }
      },
      script: (work) =>
        withClient(config, onError, async (client) => {
          await client.query('BEGIN; SET LOCAL statement_timeout = 0')
          try {
            const result = await work({
              query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
                (await client.query<Row>(text, [...values])).rows,
              runFile: async (text) => void (await client.query(text)),
              copyIn: (table, columns, lines) =>
                pipeline(Readable.from(lines), client.query(copyFrom(copyStatement(table, columns, 'STDIN')))),
            })
            await client.query('COMMIT')
            return result
          } catch (error) {
            await client.query('ROLLBACK').catch(onError)
            throw error
          }
        }),
      // A connection outside the pool: held for as long as the work lasts, it must not be the one that the work waits for.
      exclusively: (name, work) =>
        withClient(config, onError, async (client) => {
          const { rows } = await client.query('SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [`schoolgate ${name}`])
          return rows[0].won ? await work() : undefined
        }),
      end: () => pool.end(),
    },
    guard,
  )
}

/** A little more than the server's own limit: what a server that has fallen silent may cost. */
const patienceMs = 32_000

/** Also stops a Prisma client that was made before the transaction began. */
class GuardedPool extends Pool {
  readonly #guard: TransactionGuard
  constructor(config: ConstructorParameters<typeof Pool>[0], guard: TransactionGuard) {
    super(config)
    this.#guard = guard
  }
  override connect(): Promise<PoolClient>
  override connect(callback: Parameters<Pool['connect']>[0]): void
  override connect(callback?: Parameters<Pool['connect']>[0]): Promise<PoolClient> | undefined {
    this.#guard.assertOutside('the database')
    if (!callback) return super.connect()
    super.connect(callback)
    return undefined
  }
}

/** Ending the connection also ends its session locks. */
async function withClient<Result>(
  config: ClientConfig,
  onError: (error: Error) => void,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = new Client(config)
  client.on('error', onError)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end().catch(onError)
  }
}

/** `?options=` of the URL may change the limits; the time zone stays UTC, because Prisma reads every time as UTC. */
function connectionConfig(databaseUrl: string): ClientConfig {
  const { options, ...parsed } = parseIntoClientConfig(databaseUrl)
  return {
    ...parsed,
    options: ['-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s', options, '-c TimeZone=UTC'].filter(Boolean).join(' '),
    types: { getTypeParser: columnParser as typeof types.getTypeParser },
    application_name: parsed.application_name ?? 'schoolgate',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
  }
}

const dateArray = 1182
const textArray = 1009
const builtInParser = types.getTypeParser as (oid: number, format?: 'text' | 'binary') => unknown

/** A DATE has no time zone, so it stays the text that it is. `int8` is text by default. */
function columnParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === types.builtins.DATE) return String
  return builtInParser(oid === dateArray ? textArray : oid, format)
}
