import type { Sql } from './sql.ts'

interface Reference {
  child: string
  parent: string
  /** True if the parent row cannot be deleted before the child row: anything but ON DELETE SET NULL. */
  is_hard: boolean
}

/** Every table whose rows belong to a school, in an order in which they can be emptied: a table comes before those that it refers to. */
export async function listSchoolTables(sql: Sql): Promise<string[]> {
  const tables = await tablesWith(sql, 'school_id')
  const references = await sql.query<Reference>(
    `SELECT child.relname AS child, parent.relname AS parent, bool_or(con.confdeltype <> 'n') AS is_hard
       FROM pg_constraint con
       JOIN pg_class child ON child.oid = con.conrelid
       JOIN pg_class parent ON parent.oid = con.confrelid
      WHERE con.contype = 'f' AND con.conrelid <> con.confrelid AND child.relnamespace = current_schema()::regnamespace
      GROUP BY 1, 2`,
  )
  const left = new Set(tables)
  const ordered: string[] = []
  const isFree = (table: string, which: (reference: Reference) => boolean): boolean =>
    !references.some((reference) => reference.parent === table && left.has(reference.child) && which(reference))
  while (left.size > 0) {
    // A circle of references always has one that is set to null.
    const next = [...left].find((table) => isFree(table, () => true)) ?? [...left].find((table) => isFree(table, ({ is_hard }) => is_hard))
    if (next === undefined) throw new Error(`these tables refer to each other in a circle: ${[...left].join(', ')}`)
    left.delete(next)
    ordered.push(next)
  }
  return ordered
}

export async function listStorageKeys(sql: Sql, schoolId: string): Promise<string[]> {
  const keys = new Set<string>()
  for (const table of await tablesWith(sql, 'school_id', 'storage_key')) {
    const rows = await sql.query<{ storage_key: string }>(
      `SELECT storage_key FROM "${table}" WHERE school_id = $1 AND storage_key IS NOT NULL`,
      [schoolId],
    )
    for (const { storage_key: key } of rows) keys.add(key)
  }
  return [...keys]
}

export async function countSchoolRows(sql: Sql, schoolId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of await listSchoolTables(sql)) {
    const [row] = await sql.query<{ count: string | number }>(`SELECT count(*) AS count FROM "${table}" WHERE school_id = $1`, [schoolId])
    if (Number(row?.count) > 0) counts[table] = Number(row?.count)
  }
  return counts
}

async function tablesWith(sql: Sql, ...columns: string[]): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `SELECT t.relname AS name FROM pg_class t JOIN pg_attribute a ON a.attrelid = t.oid AND NOT a.attisdropped
      WHERE t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relnamespace = current_schema()::regnamespace AND a.attname = ANY ($1)
      GROUP BY t.relname HAVING count(*) = $2 ORDER BY t.relname`,
    [columns, columns.length],
  )
  return rows.map(({ name }) => name)
}
