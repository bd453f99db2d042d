import type { Database } from './database.ts'
import type { Sql } from './sql.ts'

/** How long one statement may take, by what it is for. */
export const statementSeconds = { read: 3, write: 10, export: 60 } as const

export type StatementPurpose = keyof typeof statementSeconds

/** Sets the limit for what follows in this transaction. The embedded database knows none: it runs in this process. */
export async function limitStatements(kind: Database['kind'], sql: Sql, purpose: StatementPurpose): Promise<void> {
  if (kind === 'embedded') return
  await sql.query(`SELECT set_config('statement_timeout', $1, true)`, [`${statementSeconds[purpose]}s`])
}
