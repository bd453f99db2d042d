import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Tracing } from '../../base/log/tracing.ts'
import { hasOptions, poolerOf } from '../../base/net/pooler.ts'
import type { Caches } from '../../base/process/caches.ts'
import type { Fact } from '../facts/fact.ts'
import { createFactGuard } from '../facts/factGuard.ts'
import type { Database } from './database.ts'

export interface DatabaseOptions {
  caches?: Caches | undefined
  /** `postgres://user:password@host:port/name`. Absent: the embedded database. */
  databaseUrl?: string
  /** Where the embedded database keeps its files, in a folder `db`. */
  dataDirectory: string
  /** Connections of requests to the server at most. */
  poolSize?: number
  /** Connections of the authorization server and its pages, and of background jobs. */
  authorizationPoolSize?: number
  backgroundPoolSize?: number
  /** True names statements on the server. Default: true, unless the URL names a pooler that shares connections between transactions. */
  namedStatements?: boolean
  /** Embedded only: nothing is written to disk. */
  memory?: boolean
  /** Embedded in memory only: a dump of an earlier instance, to start from. */
  image?: Blob
  /** Called for facts that a statement outside a transaction changed without naming them: see `FactGuard`. */
  onLateMark?: (facts: readonly Fact[]) => void
  tracing?: Tracing | undefined
  /** Called for lost connections. The next query opens a new one. */
  onError?: (error: Error) => void
}

export const hasEmbeddedDatabase = (dataDirectory: string): boolean => existsSync(join(dataDirectory, 'db', 'PG_VERSION'))

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl, dataDirectory, memory = false, image, caches, tracing, onLateMark = () => {}, onError = () => {} } = options
  // Each database is loaded only where it is used.
  if (databaseUrl === undefined) {
    const { openEmbedded } = await import('./embedded.ts')
    const facts = createFactGuard('embedded', onLateMark)
    return await openEmbedded({ dataDirectory: memory ? null : dataDirectory, facts, tracing, ...(image && { image }) })
  }
  if (!/^postgres(ql)?:\/\//.test(databaseUrl)) throw new Error('DATABASE_URL must begin with postgres:// or postgresql://')
  const { poolSize = 10, authorizationPoolSize = 4, backgroundPoolSize = 2 } = options
  const pooler = poolerOf(databaseUrl)
  if (pooler === undefined) throw new Error('DATABASE_URL: pooler must be session or transaction')
  if (pooler !== 'none' && hasOptions(databaseUrl)) throw new Error('DATABASE_URL: a pooler drops options, remove them from the URL')
  const { namedStatements = pooler !== 'transaction' } = options
  const poolSizes = { api: poolSize, authorization: authorizationPoolSize, background: backgroundPoolSize }
  const { openPostgresql } = await import('./postgresql.ts')
  const facts = createFactGuard('postgresql', onLateMark)
  return openPostgresql({ databaseUrl, pooler, poolSizes, namedStatements, caches, facts, tracing, onError })
}
