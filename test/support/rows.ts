/** Rows that other rows must point at: foreign keys hold in tests too. */
import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'

/** Creates a school. Returns its id. */
export async function newSchool(sql: Sql): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, $2, 'Quill Harbour', 'en', 'UTC', 'EUR')`, [
    id,
    `school-${id}`,
  ])
  return id
}

/** Creates an account of the school. Returns its id. */
export async function newAccount(sql: Sql, schoolId: string): Promise<string> {
  const id = newId()
  await sql.query(`INSERT INTO account (school_id, id, email, name) VALUES ($1, $2, $3, 'Marlo Quillfeather')`, [
    schoolId,
    id,
    `${id}@example.test`,
  ])
  return id
}

/**
 * Copies a row of a table with a later time. Returns the new id. Unique columns get new values, and a course keeps its lecturers.
 */
export async function copyRow(sql: Sql, table: string, row: { schoolId: string; id: string }): Promise<string> {
  const id = newId()
  const [person] = ['staff', 'rsvp', 'subscription', 'product_grant'].includes(table)
    ? await sql.query<{ person_id: string }>(`SELECT person_id FROM ${table} WHERE school_id = $1 AND id = $2`, [row.schoolId, row.id])
    : []
  const personId = person && (await copyRow(sql, 'person', { ...row, id: person.person_id }))
  const ownText = {
    slug: id,
    external_id: null,
    storage_key: id,
    ...(table === 'coupon' && { code: id.toUpperCase() }),
    ...(table === 'coupon_redemption' && { person_id: null }),
    ...(table === 'orders' && { number: id, payment_reference: null }),
    certificate_number: null,
    ...(table === 'certificate' && {
      number: id.replaceAll('-', '').slice(-16).toUpperCase(),
      completed_at: new Date(Math.floor(Math.random() * 2e12)),
    }),
    ...(table === 'quiz_attempt' && { attempt_no: Math.floor(Math.random() * 2_000_000_000) }),
    ...(table === 'person' && { email: `${id}@example.test`, account_id: null }),
  }
  // One enrolment for each person and course, one progress for each lesson of it.
  const related = { enrollment: { column: 'person_id', of: 'person' }, lesson_progress: { column: 'enrollment_id', of: 'enrollment' } }[
    table
  ]
  const copied = related && { [related.column]: await copyRelated(sql, table, row, related) }
  const own = { id, ...ownText, ...(personId && { person_id: personId, ...(table === 'staff' && { lecturer_id: null }) }), ...copied }
  await sql.query(
    `INSERT INTO "${table}" SELECT (jsonb_populate_record(original, $3::jsonb)).* FROM "${table}" original WHERE school_id = $1 AND id = $2`,
    [row.schoolId, row.id, JSON.stringify(own)],
  )
  if (table === 'course') {
    await sql.query(
      `INSERT INTO course_lecturer SELECT school_id, $3::uuid, lecturer_id, position FROM course_lecturer WHERE school_id = $1 AND course_id = $2`,
      [row.schoolId, row.id, id],
    )
  }
  return id
}

/** A copy of the row that this one names. */
async function copyRelated(
  sql: Sql,
  table: string,
  row: { schoolId: string; id: string },
  { column, of }: { column: string; of: string },
): Promise<string> {
  const [named] = await sql.query<{ id: string }>(`SELECT "${column}" AS id FROM "${table}" WHERE school_id = $1 AND id = $2`, [
    row.schoolId,
    row.id,
  ])
  return await copyRow(sql, of, { schoolId: row.schoolId, id: named?.id as string })
}

/** Adds what a search compares of 20,000 courses, without the courses, so that its statements need their indexes. */
export async function addDocuments(sql: Sql, schoolId: string): Promise<void> {
  await sql.query(
    `INSERT INTO search_document (school_id, type, id, text, words)
     SELECT $1, 'course', gen_random_uuid(), 'course ' || md5(n::text), to_tsvector('simple', md5(n::text)) FROM generate_series(1, 20000) AS n`,
    [schoolId],
  )
  await sql.query(
    `SELECT gin_clean_pending_list(name::regclass) FROM unnest(ARRAY['search_document_text', 'search_document_words']) AS name`,
  )
  await sql.query('ANALYZE search_document')
}
