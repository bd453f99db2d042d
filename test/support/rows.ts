/** Rows that other rows must point at: foreign keys hold in tests too. */
import { newId } from '../../src/lib/ids.ts'
import type { Sql } from '../../src/store/sql.ts'

/** A new school; answers its id. */
export async function newSchool(sql: Sql): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, $2, 'Quill Harbour', 'en', 'UTC', 'EUR')`, [
    id,
    `school-${id}`,
  ])
  return id
}

/** A new account of the school; answers its id. */
export async function newAccount(sql: Sql, schoolId: string): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO account (school_id, id, email, name) VALUES ($1, $2, $3, 'Marlo Quillfeather')`, [
    schoolId,
    id,
    `${id}@example.test`,
  ])
  return id
}
