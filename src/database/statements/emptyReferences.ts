import { sql } from 'kysely'
import type { SchoolWriter } from '../connection/database.ts'
import { withoutSchool } from '../school/inSchool.ts'

interface EmptiedRow {
  table: string
  id: string
  version: number
}

/**
 * Empties the references to a row that become null when it is deleted, such as the author of a post. The database would do it too, but the
 * referring rows would keep their versions. Returns them with the new ones.
 */
export async function emptyReferences(writer: SchoolWriter, { table, id }: { table: string; id: string }): Promise<EmptiedRow[]> {
  const { rows: references } = await sql<{ table: string; column: string }>`
    SELECT con.conrelid::regclass::text AS table, a.attname::text AS column
      FROM pg_constraint con
      JOIN pg_attribute a ON a.attrelid = con.conrelid AND a.attnum = ANY (con.conkey) AND a.attname <> 'school_id'
     WHERE con.contype = 'f' AND con.confdeltype = 'n' AND con.confrelid = ${table}::regclass
       AND (SELECT count(*) FROM pg_attribute WHERE attrelid = con.conrelid AND attname IN ('id', 'version', 'updated_at')) = 3
     ORDER BY 1, 2`.execute(withoutSchool(writer))
  const emptied: EmptiedRow[] = []
  for (const reference of references) {
    const { rows } = await sql<EmptiedRow>`
      UPDATE ${sql.table(reference.table)} SET ${sql.ref(reference.column)} = NULL, version = version + 1, updated_at = now()
       WHERE school_id = ${writer.schoolId} AND ${sql.ref(reference.column)} = ${id}::uuid
      RETURNING ${reference.table}::text AS table, id, version`.execute(withoutSchool(writer))
    emptied.push(...rows)
  }
  return emptied
}
