/** How a connection pooler in front of PostgreSQL, such as PgBouncer, shares its connections: `none` is PostgreSQL itself. */
export type Pooler = 'none' | 'session' | 'transaction'

/** Returns true if the URL has the parameter `options`: settings with which a session starts. */
export const hasOptions = (databaseUrl: string): boolean => new URLSearchParams(databaseUrl.split('?')[1] ?? '').has('options')

/** Returns the pooler that the parameter `pooler` of a PostgreSQL URL names; undefined if its value is unknown. */
export function poolerOf(databaseUrl: string): Pooler | undefined {
  const named = new URLSearchParams(databaseUrl.split('?')[1] ?? '').getAll('pooler')
  if (named.length === 0) return 'none'
  return named.length === 1 && (named[0] === 'session' || named[0] === 'transaction') ? named[0] : undefined
}
