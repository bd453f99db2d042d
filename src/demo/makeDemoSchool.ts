import type { Database, Writer } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import type { School } from '../store/school.ts'
import { countSchools } from '../store/schoolCounts.ts'
import { takeRoom } from '../store/storageUsage.ts'
import { extraRows } from './extraRows.ts'
import { storeFiles } from './files/storeFiles.ts'
import { emptyActivity, generateActivity } from './generate/activity.ts'
import { demoId } from './ids.ts'
import { insertRows } from './insertRows.ts'
import { demoRows } from './rows.ts'
import { people, schoolRow } from './school.ts'
import { createContext } from './tables/context.ts'
import { peopleRows } from './tables/people.ts'
import { writeActivity } from './writeActivity.ts'

export interface DemoOptions {
  school: School
  /** Every time of the demo counts from here. */
  now: Date
  /** A hash of the demo password in PHC string form, for everybody who can sign in: each hash costs 19 MiB that malloc keeps. */
  hashPassword(): Promise<string>
  /** Where the bytes of its files go. Without it the demo has no files. */
  storage?: FileStorage
  /** Leaves out all activity: no enrolments, orders or comments, and only courses are sold. */
  only?: 'catalogue'
}

/**
 * Fills a school with the demo: people, lecturers and courses, the same on every run.
 * @returns false where the demo is there already; then nothing is changed
 */
export async function makeDemoSchool(database: Database, { school, now, hashPassword, storage, only }: DemoOptions): Promise<boolean> {
  const ownerId = demoId(school.id, 'account', 0)
  const isThere = await database.kysely
    .selectFrom('account')
    .select('id')
    .where('school_id', '=', school.id)
    .where('id', '=', ownerId)
    .executeTakeFirst()
  if (isThere) return false
  const hashes = new Map<string, string>()
  const hash = await hashPassword()
  for (const { email, hasPassword } of people) if (hasPassword) hashes.set(email, hash)
  const files = storage ? await storeFiles(storage, school.id, now) : []
  await database.transaction(async (writer, sql) => {
    // Another process may be filling the same school: its rows are waited for, for as long as that takes.
    await sql.query('SET LOCAL lock_timeout = 0')
    await sql.query('SET LOCAL statement_timeout = 0')
    const activity = only === 'catalogue' ? emptyActivity(now) : generateActivity(now)
    const context = createContext(school.id, now)
    const demo = demoRows(school.id, now, { hasFiles: files.length > 0 })
    const { learners, tags } = peopleRows(context, activity)
    await writeSchool(writer, school)
    // Two processes may start at once: what the other has written by now is the same.
    await insertRows(sql, 'account', demo.accounts(hashes))
    await insertRows(sql, 'person', demo.team())
    await insertRows(sql, 'person', learners)
    await insertRows(sql, 'person_tag', tags)
    if (files.length > 0) await writeFiles(writer, { schoolId: school.id, files, references: demo.fileReferences() })
    await insertRows(sql, 'lecturer', demo.lecturers(activity))
    await insertRows(sql, 'staff', demo.staff())
    await insertRows(sql, 'course', demo.courses(activity))
    await insertRows(sql, 'course_lecturer', demo.courseLecturers())
    // The key is named: a constraint that is checked later cannot say what is there already.
    await insertRows(sql, 'section', demo.curriculum.sections(), 'school_id, id')
    await insertRows(sql, 'lesson', demo.curriculum.lessons(), 'school_id, id')
    await insertRows(sql, 'lesson_body', demo.curriculum.texts())
    await writer
      .insertInto('page')
      .values(await demo.pages())
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (only !== 'catalogue') await writeActivity(database.kind, sql, { context, activity, productFiles: demo.productFiles })
    for (const { table, rows } of extraRows(school.id, now)) await insertRows(sql, table, rows)
    const looks = demo.appearance()
    await writer
      .insertInto('appearance')
      .values({ ...looks.row, ...looks.pictures })
      // The row has been made with the school: what its file says of colours stays.
      .onConflict((conflict) =>
        conflict.column('school_id').doUpdateSet({
          ...looks.pictures,
          links: looks.row.links,
          home_page_id: looks.row.home_page_id,
          announcement: looks.row.announcement,
        }),
      )
      .execute()
    await countSchools(writer, school.id)
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

interface FileRows {
  schoolId: string
  files: Awaited<ReturnType<typeof storeFiles>>
  references: ReturnType<ReturnType<typeof demoRows>['fileReferences']>
}

async function writeFiles(writer: Writer, { schoolId, files, references }: FileRows): Promise<void> {
  const stored = await writer
    .insertInto('file')
    .values(files)
    .onConflict((conflict) => conflict.doNothing())
    .returning('bytes')
    .execute()
  await takeRoom(writer, schoolId, { bytes: stored.reduce((sum, { bytes }) => sum + Number(bytes), 0), quota: Number.MAX_SAFE_INTEGER })
  await writer
    .insertInto('file_reference')
    .values(references)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
