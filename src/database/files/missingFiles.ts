import type { Sql } from '../connection/sql.ts'

/** An object that names a file of its school that is gone, in a field that has no foreign key, such as a text. */
export interface MissingFile {
  school_id: string
  type: string
  id: string
  field: string
  file_id: string
}

interface Holder {
  table: string
  arguments: string[]
}

/** Returns up to `limit` names of files that are gone. The columns that can name files are the arguments of the triggers `<table>_files`. */
export async function findMissingFiles({ sql }: { sql: Sql }, limit: number): Promise<MissingFile[]> {
  const holders = await sql.query<Holder>(
    `SELECT c.relname AS table, string_to_array(rtrim(encode(t.tgargs, 'escape'), '\\000'), '\\000') AS arguments
       FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid AND c.relnamespace = current_schema()::regnamespace
      WHERE t.tgname = c.relname || '_files' ORDER BY c.relname`,
  )
  const missing: MissingFile[] = []
  for (const holder of holders) {
    const [type = '', id = '', ...fields] = holder.arguments
    const school = holder.table === 'school' ? 'id' : 'school_id'
    const columns = fields.map((field) => `held."${field.split(':')[1]}"::text`)
    const rows = await sql.query<MissingFile>(
      `SELECT DISTINCT held."${school}" AS school_id, $1 AS type, held."${id}" AS id, named.field, named.file_id
         FROM "${holder.table}" AS held, named_files(to_jsonb(held), $2::text[]) AS named
        WHERE concat_ws(' ', ${columns.join(', ')}) ~ 'fil_|[0-9a-f]-[0-9a-f]{4}-' AND named.field <> 'revisions'
              AND NOT EXISTS (SELECT FROM file WHERE school_id = held."${school}" AND id = named.file_id) LIMIT $3`,
      [type, holder.arguments, limit - missing.length],
    )
    missing.push(...rows)
    if (missing.length >= limit) break
  }
  return missing
}
