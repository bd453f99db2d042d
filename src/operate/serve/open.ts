import { join } from 'node:path'
import type { Log } from '../../base/log/log.ts'
import type { Tracing } from '../../base/log/tracing.ts'
import { fileTransport } from '../../base/mail/fileTransport.ts'
import { smtpTransport } from '../../base/mail/smtpTransport.ts'
import type { MailTransport } from '../../base/mail/transport.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { Environment } from '../../config/environment.ts'
import type { OAuthConfig } from '../../config/oauth.ts'
import type { ServerConfig } from '../../config/server.ts'
import type { Database } from '../../database/connection/database.ts'
import { openDatabase } from '../../database/connection/openDatabase.ts'
import { markedByTransaction } from '../../database/facts/factGuard.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { openFileStorage } from '../../database/files/openFileStorage.ts'
import { createRedis, type RedisConnection } from '../../database/redis/redis.ts'
import type { Stores } from '../../identity/oidc/stores.ts'
import { databaseArtifacts } from '../../identity/tokens/databaseArtifacts.ts'
import { redisArtifacts } from '../../identity/tokens/redisArtifacts.ts'
import { longestTokenSeconds } from '../compose/clients.ts'

/** Returns the directory in which e-mails are saved if SMTP_URL is not set. */
export const outboxDirectory = ({ DATA_DIR }: Pick<Environment, 'DATA_DIR'>): string => join(DATA_DIR, 'outbox')

/** Opens the storage of files. The caller closes it. */
export const openConfiguredFileStorage = ({ DATA_DIR, STORAGE_URL }: Pick<Environment, 'DATA_DIR' | 'STORAGE_URL'>): Promise<FileStorage> =>
  openFileStorage(DATA_DIR, STORAGE_URL)

type Addresses = Pick<Environment, 'DATA_DIR' | 'DATABASE_URL' | 'REDIS_URL'>

interface OpenOptions {
  caches?: Caches | undefined
  connections?: ServerConfig['database_connections'] | undefined
  tracing?: Tracing | undefined
}

const poolOptions = (connections: OpenOptions['connections']) =>
  connections && {
    poolSize: connections.api,
    authorizationPoolSize: connections.authorization,
    backgroundPoolSize: connections.background,
    ...(connections.named_statements !== undefined && { namedStatements: connections.named_statements }),
  }

/** Opens the database that the environment names. The caller closes it. */
export function openConfiguredDatabase(
  { DATA_DIR, DATABASE_URL }: Addresses,
  log: Log,
  { caches, connections, tracing }: OpenOptions = {},
): Promise<Database> {
  return openDatabase({
    dataDirectory: DATA_DIR,
    caches,
    tracing,
    ...poolOptions(connections),
    ...(DATABASE_URL ? { databaseUrl: DATABASE_URL } : {}),
    onError: (error) => log.error({ err: error }, 'database connection lost'),
    onLateMark: (facts) => log.error({ facts: facts.map(({ kind }) => kind) }, 'fact changed outside a transaction, marked late'),
  })
}

/** Connects to the Redis that the environment names; undefined if it names none. The caller closes it. */
export async function openConfiguredRedis(
  { REDIS_URL }: Addresses,
  log: Log,
  { deadlineSeconds, tracing }: { deadlineSeconds?: number; tracing?: Tracing | undefined } = {},
): Promise<RedisConnection | undefined> {
  if (!REDIS_URL) return undefined
  let isConnected = false
  const redis = createRedis(REDIS_URL, {
    tracing,
    // Until it is connected, the error that `connect` throws is the one to report.
    onError: (error) => isConnected && log.error({ err: error }, 'Redis'),
  })
  await redis.connect(deadlineSeconds)
  isConnected = true
  return redis
}

/** Opens the transport of e-mails. The caller closes it. */
export function openConfiguredTransport({ DATA_DIR, SMTP_URL }: Pick<Environment, 'DATA_DIR' | 'SMTP_URL'>, log: Log): MailTransport {
  return SMTP_URL ? smtpTransport({ url: SMTP_URL }) : fileTransport({ directory: outboxDirectory({ DATA_DIR }), log })
}

export interface StoreArguments {
  /** The database, or one transaction of it: a transaction marks its changes by itself. */
  database: Pick<Database, 'sql' | 'kysely'> & Partial<Pick<Database, 'facts'>>
  redis: RedisConnection | undefined
  oauth: OAuthConfig
  log: Log
}

/** Creates the stores of the engine's state, by the rules that every process of the service shares. */
export function createStores({ database, redis, oauth, log }: StoreArguments): Stores {
  const durable = databaseArtifacts(database.sql, database.facts)
  const versioned = redis && redisArtifacts(redis.client, { longestTokenSeconds: longestTokenSeconds(oauth) })
  return {
    database: database.kysely,
    durable,
    ephemeral: versioned ?? durable,
    versioned,
    facts: database.facts ?? markedByTransaction,
    log,
  }
}
