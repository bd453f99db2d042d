import { PostgresDialect } from 'kysely'
import { type Client, types } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import type { Tracing } from '../../base/log/tracing.ts'
import type { Pooler } from '../../base/net/pooler.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { FactGuard } from '../facts/factGuard.ts'
import { assembleDatabase, type Connections } from './assembleDatabase.ts'
import type { Database, Lane } from './database.ts'
import { createPulse, pulseSettings } from './pulse.ts'
import { connectClient, type ServiceClientConfig, type StatementLimits } from './serviceClient.ts'
import { createQueue, createTransactionGuard, ServicePool } from './servicePool.ts'
import { createStatementNames } from './statementNames.ts'
import { traceStatements } from './statementSpans.ts'
import { type SessionLimits, sessionLimits, sessionSettings, statementSeconds } from './timeLimit.ts'
import { timestampParser } from './timestampParser.ts'

/** How many connections each kind of work may have open. */
export interface PoolSizes {
  /** Requests of the API, MCP and the documents. */
  api: number
  /** The authorization server and its pages. */
  authorization: number
  background: number
}

export interface PostgresqlOptions {
  databaseUrl: string
  pooler: Pooler
  poolSizes: PoolSizes
  /** True names statements, which poolers such as PgBouncer before 1.21 do not support in transaction mode. */
  namedStatements: boolean
  caches: Caches | undefined
  facts: FactGuard
  tracing?: Tracing | undefined
  onError: (error: Error) => void
}

/**
 * A database on a PostgreSQL server. Connections are made when they are needed. Each kind of work has a separate pool, so that none can
 * use up the connections of another; one more connection watches the server.
 */
export function openPostgresql(options: PostgresqlOptions): Database {
  const { databaseUrl, pooler, poolSizes, namedStatements, caches, facts, tracing, onError: report } = options
  let lostConnections = 0
  const onError = (error: Error): void => {
    lostConnections += 1
    report(error)
  }
  const guard = createTransactionGuard()
  const configOf = (limits: SessionLimits): ServiceClientConfig => ({
    ...connectionConfig(databaseUrl),
    pooler,
    settings: sessionSettings(limits),
  })
  const lockConfig = configOf(sessionLimits.script)
  const watched = { facts, names: namedStatements ? createStatementNames(caches) : undefined }
  const scriptConfig = { ...lockConfig, ...watched }
  const traced = traceStatements(tracing)
  const pools = new Map<Lane, ServicePool>()
  const ofAll = (work: (pool: ServicePool) => void) => (): void => {
    for (const pool of pools.values()) work(pool)
  }
  const readiness = configOf(sessionLimits.readiness)
  const pulse = createPulse({
    config: { ...readiness, settings: { ...readiness.settings, ...pulseSettings }, connectionTimeoutMillis: connectMs },
    onSilence: ofAll((pool) => pool.cutOff()),
    onRecovery: ofAll((pool) => pool.replaceAll()),
  })
  const locks = createQueue({ places: maxLocks, name: 'background jobs' })

  const connectionsOf = (lane: Lane): Connections => {
    const config = {
      ...configOf(sessionLimits[lane]),
      ...watched,
      traced,
      limits: limitsOf(lane),
      connectionTimeoutMillis: connectMs,
    }
    const pool = new ServicePool({ config, size: poolSizes[lane], guard, pulse, onError })
    pools.set(lane, pool)
    return {
      dialect: new PostgresDialect({ pool }),
      write: createQueue({ places: writePlaces(poolSizes[lane]), timeoutMs: connectMs, name: 'changes of the database' }),
      prismaAdapter: async () => new (await import('@prisma/adapter-pg')).PrismaPg(pool),
      query: (text, values, name) => pool.rowsOf(text, values, name),
    }
  }

  return assembleDatabase(
    {
      kind: 'postgresql',
      facts,
      lanes: { api: connectionsOf('api'), authorization: connectionsOf('authorization'), background: connectionsOf('background') },
      script: (work) =>
        withClient(scriptConfig, onError, async (client) => {
          await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
          try {
            const result = await work({
              query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
                (await client.query<Row>(text, [...values])).rows,
              runFile: async (text) => void (await client.query(text)),
            })
            await client.query('COMMIT')
            return result
          } catch (error) {
            await client.query('ROLLBACK').catch(onError)
            throw error
          }
        }),
      async alone(text) {
        if (pooler === 'transaction') throw new Error(aloneNeedsSession)
        await withClient(scriptConfig, onError, (client) => client.query(text))
      },
      // A connection outside the pools: held for as long as the work lasts, it must not be the one that the work waits for.
      exclusively: (name, work) =>
        locks(() =>
          withClient(lockConfig, onError, async (client) => {
            const isShared = pooler === 'transaction'
            if (isShared) await client.query('BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0')
            const lock = isShared ? 'pg_try_advisory_xact_lock' : 'pg_try_advisory_lock'
            const [key, value] = typeof name === 'number' ? ['$1::bigint', name] : ['hashtextextended($1, 0)', `schoolgate ${name}`]
            const { rows } = await client.query(`SELECT ${lock}(${key}) AS won`, [value])
            return rows[0].won ? await work() : undefined
          }),
        ),
      figures: () => ({ pools: [...pools].map(([pool, { figures }]) => ({ pool, ...figures })), lostConnections }),
      checkWrites: () => pulse.checkWrites(),
      async end() {
        await Promise.all([pulse.close(), ...[...pools.values()].map((pool) => pool.end())])
      },
    },
    guard,
  )
}

/** The limits of the role would end a statement that takes minutes, and a session of the pooler has no others. */
const aloneNeedsSession =
  'it cannot run through a pooler in transaction mode: run schoolgate migrate up with a DATABASE_URL that leads to the server itself'

/** How long a request waits for a connection, or to be one of those that change something. */
const connectMs = 3000
/** How many jobs of one process hold a lock, and with it a connection, at a time. */
const maxLocks = 2
/** Returns the limits of statements of a kind of work. Jobs may read for long. */
const limitsOf = (lane: Lane): StatementLimits => {
  const limitMs = sessionLimits[lane].statementSeconds * 1000
  return { limitMs, readMs: lane === 'background' ? limitMs : statementSeconds.read * 1000 }
}

/** After so long without a byte TCP asks whether the peer is there, and gives up ten seconds later. */
const keepAliveMs = 5000

/** A part of the connections is left to reads: changes that wait for each other must not keep everybody else waiting. */
const writePlaces = (poolSize: number): number => Math.max(1, Math.ceil(poolSize * 0.6))

/** Ending the connection also ends its locks, those of its session and those of its transaction. */
async function withClient<Result>(
  config: ServiceClientConfig,
  onError: (error: Error) => void,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await connectClient(config, onError)
  try {
    return await work(client)
  } finally {
    await client.end().catch(onError)
  }
}

const connectionConfig = (databaseUrl: string) => {
  // Without `uselibpqcompat` the library treats these modes alike, and prints a warning over several lines.
  const lenient = databaseUrl.includes('uselibpqcompat') ? /(?!)/ : /(?<=[?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/
  const parsed = parseIntoClientConfig(databaseUrl.replace(lenient, 'verify-full'))
  return {
    ...parsed,
    types: { getTypeParser: columnParser as typeof types.getTypeParser },
    application_name: parsed.application_name ?? 'schoolgate',
    connectionTimeoutMillis: 5000,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
  }
}

const dateArray = 1182
const textArray = 1009
const builtInParser = types.getTypeParser as (oid: number, format?: 'text' | 'binary') => (text: string) => unknown
const parseTimestamp = timestampParser(builtInParser(types.builtins.TIMESTAMPTZ))

/** A DATE has no time zone, so it stays the text that it is. `int8` is text by default. */
function columnParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === types.builtins.DATE) return String
  if (oid === types.builtins.TIMESTAMPTZ && format !== 'binary') return parseTimestamp
  return builtInParser(oid === dateArray ? textArray : oid, format)
}
