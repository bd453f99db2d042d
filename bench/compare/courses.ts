import { parse } from './oauth.ts'
import { onServer, type Target } from './targets.ts'

const columns = [
  'id',
  'slug',
  'title',
  'subtitle',
  'language',
  'level',
  'access',
  'price',
  'published_at',
  'created_at',
  'updated_at',
] as const

/** Copies the demo school's courses three times, so that a page of 20 is full. */
export async function multiplyCourses(databaseUrl: string): Promise<void> {
  await onServer(
    databaseUrl,
    `INSERT INTO course SELECT (jsonb_populate_record(course, jsonb_build_object('id', gen_random_uuid(), 'slug', slug || '-' || n,
       'created_at', created_at - n * interval '1 minute'))).* FROM course, generate_series(1, 3) AS n`,
    // As autovacuum does: without figures about the small tables, the planner reads more of them than it needs.
    'VACUUM ANALYZE',
  )
}

/**
 * Copies the service's courses as this caller sees them into a table of the hand-written peer, so that both send the same members. Without
 * a token they are the public ones.
 */
export async function copyCourses(
  service: Target,
  { databaseUrl, table, token }: { databaseUrl: string; table: string; token?: string },
): Promise<{ id: string; count: number }> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const rows: Record<string, unknown>[] = []
  let path: string | undefined = '/api/v1/courses?limit=100'
  while (path) {
    const page = parse(await service.client.send(path, { headers })) as { data: Record<string, unknown>[]; next_cursor: string | null }
    rows.push(...page.data)
    path = page.next_cursor ? `/api/v1/courses?limit=100&cursor=${encodeURIComponent(page.next_cursor)}` : undefined
  }
  const literal = (value: unknown): string => `'${String(value).replaceAll("'", "''")}'`
  const values = rows.map((row) => {
    const rest = Object.fromEntries(Object.entries(row).filter(([name]) => !columns.includes(name as 'id')))
    const own = columns.map((name) =>
      row[name] === undefined || row[name] === null ? 'NULL' : literal(name === 'price' ? JSON.stringify(row[name]) : row[name]),
    )
    return `(${[...own, 'true', literal(JSON.stringify(rest))].join(', ')})`
  })
  await onServer(
    databaseUrl,
    `CREATE TABLE ${table} (id text PRIMARY KEY, slug text, title text, subtitle text, language text, level text, access text,
       price jsonb, published_at timestamptz, created_at timestamptz, updated_at timestamptz, is_public boolean, rest jsonb)`,
    `CREATE INDEX ON ${table} (created_at DESC, id DESC) WHERE is_public`,
    `INSERT INTO ${table} VALUES ${values.join(', ')}`,
    `VACUUM ANALYZE ${table}`,
  )
  const [{ id }] = rows as [{ id: string }]
  return { id, count: rows.length }
}

/** Creates the table of the keyset page: rows of eleven columns. */
export async function makeRows(databaseUrl: string, count: number): Promise<void> {
  await onServer(
    databaseUrl,
    `CREATE TABLE bench_row AS SELECT md5(n::text) AS id, 'Course ' || n AS title, 'course-' || n AS slug, 'A subtitle of a course' AS subtitle,
       repeat('A description. ', 8) AS description, 'en' AS language, 'beginner' AS level, n % 900 AS price, 'EUR' AS currency,
       now() - n * interval '1 minute' AS created_at, now() AS updated_at FROM generate_series(1, ${count}) AS n`,
    'ALTER TABLE bench_row ADD PRIMARY KEY (id)',
    'CREATE INDEX ON bench_row (created_at DESC, id DESC)',
    'VACUUM ANALYZE bench_row',
  )
}
