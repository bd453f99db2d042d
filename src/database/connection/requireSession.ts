import type { Pooler } from '../../base/net/pooler.ts'
import type { Sql } from './sql.ts'

/** The limits that the role needs if a pooler shares its connections between transactions: such sessions cannot be set up one by one. */
const roleSettings = Object.entries({ statement_timeout: '60s', lock_timeout: '2s', idle_in_transaction_session_timeout: '60s' })

const addPooler =
  'add pooler=session or pooler=transaction to the query of the URL, the pool_mode of the pooler (docs/deploy.md, "A pooler in front of PostgreSQL")'

/** True if a pooler refused the settings that a session of PostgreSQL starts with. */
export const isRefusedStart = (error: unknown): boolean =>
  error instanceof Error &&
  /unsupported startup parameter/.test(`${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`)

/** The error for a pooler that the URL does not name. */
export const unnamedPooler = (): Error => new Error(`a pooler answers here that does not take the settings of a session: ${addPooler}`)

/**
 * Checks that the settings on which the service relies apply to its connections: the time zone, and the limits that keep a statement from
 * running forever.
 * @throws Error that says what to change
 */
export async function requireSession(sql: Sql, pooler: Pooler, hasOptions: boolean): Promise<void> {
  const names = ['TimeZone', ...roleSettings.map(([name]) => name)]
  const columns = names.map((name) => `current_setting('${name}') AS "${name}"`)
  const [row] = await sql.query<Record<string, string>>(`SELECT current_user AS role, ${columns.join(', ')}`)
  const isUtc = /^(?:Etc\/)?UTC$/.test(row?.TimeZone ?? '')
  // The options of the URL may turn a limit off.
  const missing = hasOptions ? [] : roleSettings.filter(([name]) => row?.[name] === '0')
  if (isUtc && missing.length === 0) return
  if (pooler !== 'transaction') {
    if (pooler === 'none') throw unnamedPooler()
    throw new Error('the pooler loses settings of a session: its pool_mode is not session. Use pooler=transaction in the URL')
  }
  const statements = missing.map(([name, value]) => `ALTER ROLE "${row?.role}" SET ${name} = '${value}'`)
  const zone = isUtc ? [] : [`ALTER ROLE "${row?.role}" SET timezone = 'UTC'`]
  throw new Error(
    `the role lacks limits, which a pooler in transaction mode cannot set: run ${[...statements, ...zone].join('; ')}; then RECONNECT in the pooler`,
  )
}
