import { withoutSchool } from '../school/inSchool.ts'
import type { Database, Writer } from './database.ts'
import { rawSql } from './rawSql.ts'

/** Settings of a session by their names in PostgreSQL. */
export type SessionSettings = Readonly<Record<string, string>>

/** How long one statement may take, by its purpose. */
export const statementSeconds = { read: 3, write: 10, export: 60 } as const

export type StatementPurpose = keyof typeof statementSeconds

/** Limits of a PostgreSQL session in seconds: one statement, waiting for one lock, and idle inside a transaction. */
export interface SessionLimits {
  statementSeconds: number
  lockSeconds: number
  idleInTransactionSeconds: number
}

/**
 * The limits of each kind of work. A lock that is held for longer is reported (503) and not waited for: a waiting request holds a
 * connection that others need.
 */
export const sessionLimits = {
  api: { statementSeconds: statementSeconds.write, lockSeconds: 2, idleInTransactionSeconds: 30 },
  authorization: { statementSeconds: 5, lockSeconds: 2, idleInTransactionSeconds: 30 },
  background: { statementSeconds: 60, lockSeconds: 5, idleInTransactionSeconds: 60 },
  readiness: { statementSeconds: 2, lockSeconds: 1, idleInTransactionSeconds: 5 },
  /** Migrations and data in bulk. */
  script: { statementSeconds: 0, lockSeconds: 0, idleInTransactionSeconds: 60 },
} as const satisfies Record<string, SessionLimits>

/**
 * How long a migration waits for one lock. Requests that need the same table wait behind it. It ends before a request reaches its own limit, and
 * before PostgreSQL looks for a deadlock (after one second), so that it is not the request that fails.
 */
export const migrationLockMilliseconds = 500

/** How long a migration that does not get a lock is attempted again. */
export const migrationTimeoutSeconds = 120

/** The settings of a session with these limits, by their names in PostgreSQL. */
export const sessionSettings = ({ statementSeconds, lockSeconds, idleInTransactionSeconds }: SessionLimits): SessionSettings => ({
  statement_timeout: `${statementSeconds}s`,
  lock_timeout: `${lockSeconds}s`,
  idle_in_transaction_session_timeout: `${idleInTransactionSeconds}s`,
})

/** The statement that sets the limit of a transaction, to a time such as `60s`. */
export const limitStatement = `SELECT set_config('statement_timeout', $1, true)`

/**
 * Sets the limit for the rest of this transaction. A write needs no call: its session has its limit. The embedded database knows no
 * limits: it runs in this process.
 */
export async function limitStatements(kind: Database['kind'], writer: Writer, purpose: Exclude<StatementPurpose, 'write'>): Promise<void> {
  if (kind === 'embedded') return
  await rawSql(withoutSchool(writer)).query(limitStatement, [`${statementSeconds[purpose]}s`])
}
