import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { PostgresDialect } from 'kysely'
import { Client, type ClientBase, type ClientConfig, types } from 'pg'
import { parseIntoClientConfig } from 'pg-connection-string'
import { from as copyFrom } from 'pg-copy-streams'
import { isLostConnection } from '../lib/outage.ts'
import type { Pooler } from '../lib/pooler.ts'
import type { Tracing } from '../lib/tracing.ts'
import { assembleDatabase, type Connections } from './assembleDatabase.ts'
import { copyStatement } from './copyText.ts'
import type { Database, Lane } from './database.ts'
import type { FactGuard } from './facts/factGuard.ts'
import { watchingClient } from './facts/watchingClient.ts'
import { GuardedPool } from './guardedPool.ts'
import { createStatementNames, namingClient } from './namedStatements.ts'
import { poolerClient, type SessionSettings, settingStatement, startOptions } from './poolerClient.ts'
import { createPulse, pulseSettings } from './pulse.ts'
import { createQueue } from './queue.ts'
import { tracingClient } from './statementSpans.ts'
import { type StatementLimits, timedClient } from './timedClient.ts'
import { sessionLimits, sessionSettings, statementSeconds } from './timeLimit.ts'
import { timestampParser } from './timestampParser.ts'
import { createTransactionGuard } from './transactionGuard.ts'

/** How many connections each kind of work may have open. */
export interface PoolSizes {
  /** Requests of the API, MCP and the documents. */
  api: number
  /** The authorization server and its pages. */
  authorization: number
  /** Background jobs. */
  background: number
}

export interface PostgresqlOptions {
  databaseUrl: string
  pooler: Pooler
  poolSizes: PoolSizes
  /** True names statements, which poolers such as PgBouncer before 1.21 do not support in transaction mode. */
  namedStatements: boolean
  facts: FactGuard
  tracing?: Tracing | undefined
  onError: (error: Error) => void
}

/**
 * A database on a PostgreSQL server. Connections are made when they are needed. Each kind of work has a separate pool, so that none can
 * use up the connections of another; one more connection watches the server.
 */
export function openPostgresql(options: PostgresqlOptions): Database {
  const { databaseUrl, pooler, poolSizes, namedStatements, facts, tracing, onError: report } = options
  let lostConnections = 0
  const onError = (error: Error): void => {
    lostConnections += 1
    report(error)
  }
  const base = poolerClient(Client, pooler)
  const client = { Client: watchingClient(namedStatements ? namingClient(base, createStatementNames()) : base, facts) }
  const guard = createTransactionGuard()
  const configOf = (settings: SessionSettings): ClientConfig => connectionConfig(databaseUrl, pooler, settings)
  const scriptSettings = sessionSettings(sessionLimits.script)
  const withScriptClient = <Result>(Connection: typeof Client, work: (client: Client) => Promise<Result>): Promise<Result> =>
    withClient(new Connection(configOf(scriptSettings)), { settings: settingStatement(pooler, scriptSettings), onError }, work)
  const pools = new Map<Lane, GuardedPool>()
  const ofAll = (work: (pool: GuardedPool) => void) => (): void => {
    for (const pool of pools.values()) work(pool)
  }
  const pulse = createPulse({
    config: { ...configOf(readinessSettings), connectionTimeoutMillis: connectMs },
    Client: base,
    settings: settingStatement(pooler, readinessSettings),
    isSetByTransaction: pooler === 'transaction',
    onSilence: ofAll((pool) => pool.cutOff()),
    onRecovery: ofAll((pool) => pool.replaceAll()),
  })
  const locks = createQueue({ places: mostLocks, name: 'background jobs' })

  const connectionsOf = (lane: Lane): Connections => {
    const settings = sessionSettings(sessionLimits[lane])
    const settingText = settingStatement(pooler, settings)
    const config = {
      ...configOf(settings),
      ...(settingText !== undefined && { onConnect: async (made: ClientBase) => void (await made.query(settingText)) }),
      connectionTimeoutMillis: connectMs,
      Client: tracingClient(
        timedClient(client.Client, {
          ...limitsOf(lane),
          // The others have been idle for as long, on the same network.
          onSilent: () => pools.get(lane)?.replaceAll(),
        }),
        tracing,
      ),
    }
    const pool = new GuardedPool({ config, size: poolSizes[lane], guard, pulse, onError })
    pools.set(lane, pool)
    return {
      dialect: new PostgresDialect({ pool }),
      write: createQueue({ places: writePlaces(poolSizes[lane]), patienceMs: connectMs, name: 'changes of the database' }),
      prismaAdapter: async () => new (await import('@prisma/adapter-pg')).PrismaPg(pool),
      async query<Row extends object>(text: string, values: readonly unknown[] = [], name?: string) {
        // Not `pool.query`: that throws the connection away on every error, also on a unique violation.
        const client = await pool.connect()
        let isLost = false
        try {
          return (await client.query<Row>({ text, values: [...values], ...(name && namedStatements && { name }) })).rows
        } catch (error) {
          // It is of no more use: it must not go back into the pool.
          isLost = isLostConnection(error)
          throw error
        } finally {
          client.release(isLost)
        }
      },
    }
  }

  return assembleDatabase(
    {
      kind: 'postgresql',
      facts,
      lanes: { api: connectionsOf('api'), authorization: connectionsOf('authorization'), background: connectionsOf('background') },
      script: (work) =>
        withScriptClient(client.Client, async (client) => {
          await client.query('BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0')
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
      async alone(text) {
        if (pooler === 'transaction') throw new Error(aloneNeedsSession)
        await withScriptClient(client.Client, (client) => client.query(text))
      },
      // A connection outside the pools: held for as long as the work lasts, it must not be the one that the work waits for.
      exclusively: (name, work) =>
        locks(() =>
          withScriptClient(base, async (client) => {
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

const readinessSettings = { ...sessionSettings(sessionLimits.readiness), ...pulseSettings }

/** The limits of the role would end a statement that takes minutes, and a session of the pooler has no others. */
const aloneNeedsSession =
  'it cannot run through a pooler in transaction mode: run schoolgate migrate up with a DATABASE_URL that leads to the server itself'

/** How long a request waits for a connection, or to be one of those that change something. */
const connectMs = 3000
/** How many jobs of one process hold a lock, and with it a connection, at a time. */
const mostLocks = 2
/** Returns the limits of statements of a kind of work. Jobs may read for long. */
const limitsOf = (lane: Lane): Pick<StatementLimits, 'limitMs' | 'readMs'> => {
  const limitMs = sessionLimits[lane].statementSeconds * 1000
  return { limitMs, readMs: lane === 'background' ? limitMs : statementSeconds.read * 1000 }
}

/** After so long without a byte TCP asks whether the peer is there, and gives up ten seconds later. */
const keepAliveMs = 5000

/** A part of the connections is left to reads: changes that wait for each other must not keep everybody else waiting. */
const writePlaces = (poolSize: number): number => Math.max(1, Math.ceil(poolSize * 0.6))

/** Ending the connection also ends its locks, those of its session and those of its transaction. */
async function withClient<Result>(
  client: Client,
  { settings, onError }: { settings: string | undefined; onError: (error: Error) => void },
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  client.on('error', onError)
  await client.connect()
  try {
    if (settings !== undefined) await client.query(settings)
    return await work(client)
  } finally {
    await client.end().catch(onError)
  }
}

/** `?options=` of the URL may change the limits; the time zone stays UTC, because Prisma reads every time as UTC. */
function connectionConfig(databaseUrl: string, pooler: Pooler, settings: SessionSettings): ClientConfig {
  const { options, ...parsed } = parseIntoClientConfig(databaseUrl)
  return {
    ...parsed,
    ...startOptions(pooler, settings, [options, '-c TimeZone=UTC'].filter(Boolean).join(' ')),
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
