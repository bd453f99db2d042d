import type { Database, Writer } from '../store/database.ts'
import type { School } from '../store/school.ts'
import { demoId } from './ids.ts'
import { demoRows } from './rows.ts'
import { people, schoolRow } from './school.ts'

export interface DemoOptions {
  school: School
  /** Every time of the demo counts from here. */
  now: Date
  /** A new hash of the demo password in PHC string form; asked for once for each person who can sign in. */
  hashPassword(): Promise<string>
}

/**
 * Fills a school with the demo: people, lecturers and courses, the same on every run.
 * @returns false where the demo is there already; then nothing is changed
 */
export async function makeDemoSchool(database: Database, { school, now, hashPassword }: DemoOptions): Promise<boolean> {
  const ownerId = demoId(school.id, 'account', 0)
  const isThere = await database.kysely
    .selectFrom('account')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', ownerId)
    .executeTakeFirst()
  if (isThere) return false
  const hashes = new Map<string, string>()
  for (const { email, hasPassword } of people) if (hasPassword) hashes.set(email, await hashPassword())
  await database.transaction(async (writer) => {
    const demo = demoRows(school.id, now)
    await writeSchool(writer, school)
    // Two processes may start at once: what the other has written by now is the same.
    await writer
      .insertInto('account')
      .values(demo.accounts(hashes))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('person')
      .values(demo.persons())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('lecturer')
      .values(demo.lecturers())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('staff')
      .values(demo.staff())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('course')
      .values(demo.courses())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('course_lecturer')
      .values(demo.courseLecturers())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  })
  return true
}

/** The school's row has been made from its file; the demo fills in what the file leaves open. */
async function writeSchool(writer: Writer, { id, slug }: School): Promise<void> {
  await writer
    .insertInto('school')
    .values({ id, slug, ...schoolRow, supported_locales: [...schoolRow.supported_locales], settings: JSON.stringify(schoolRow.settings) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        tagline: row.fn.coalesce('school.tagline', 'excluded.tagline'),
        description: row.fn.coalesce('school.description', 'excluded.description'),
        contact_email: row.fn.coalesce('school.contact_email', 'excluded.contact_email'),
      })),
    )
    .execute()
}
