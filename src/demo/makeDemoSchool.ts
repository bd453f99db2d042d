import { insertRows, withoutLimits } from '../store/bulkRows.ts'
import type { Database, Writer } from '../store/database.ts'
import type { FileStorage } from '../store/fileStorage.ts'
import type { School } from '../store/school.ts'
import { countSchools } from '../store/schoolCounts.ts'
import { takeRoom } from '../store/storageUsage.ts'
import { extraRows } from './extraRows.ts'
import { storeFiles } from './files/storeFiles.ts'
import { emptyActivity, generateActivity } from './generate/activity.ts'
import { demoId } from './ids.ts'
import { demoRows } from './rows.ts'
import { people, schoolRow } from './school.ts'
import { createContext } from './tables/context.ts'
import { peopleRows } from './tables/people.ts'
import { writeActivity } from './writeActivity.ts'

export interface DemoOptions {
  school: School
  /** The reference time of all times of the demo. */
  now: Date
  /** Returns a hash of the demo password (PHC string). All accounts share it, because each hash needs 19 MiB that malloc keeps. */
  hashPassword(): Promise<string>
  /** Without storage, the demo has no files. */
  storage?: FileStorage
  /** Creates courses only: no plans, products, enrolments, orders or comments. */
  only?: 'catalogue'
}

/**
 * Creates the demo data of a school, which are the same on every run.
 * @returns false without a change if they exist
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
    // Another process may be creating the same rows: wait for it.
    await withoutLimits(sql)
    const activity = only === 'catalogue' ? emptyActivity(now) : generateActivity(now)
    const context = createContext(school.id, now)
    const demo = demoRows(school.id, now, { hasFiles: files.length > 0 })
    const { learners, tags } = peopleRows(context, activity)
    await writeSchool(writer, school)
    // Rows that another process has written are the same, so they stay.
    await insertRows(sql, 'account', demo.accounts(hashes))
    await insertRows(sql, 'person', demo.team())
    await insertRows(sql, 'person', learners)
    await insertRows(sql, 'person_tag', tags)
    if (files.length > 0) await writeFiles(writer, { schoolId: school.id, files, references: demo.fileReferences() })
    await insertRows(sql, 'lecturer', demo.lecturers(activity))
    await insertRows(sql, 'staff', demo.staff())
    await insertRows(sql, 'course', demo.courses(activity))
    await insertRows(sql, 'course_lecturer', demo.courseLecturers())
    // ON CONFLICT needs the key, because another constraint of these tables is deferred.
    await insertRows(sql, 'section', demo.curriculum.sections(), 'school_id, id')
    await insertRows(sql, 'lesson', demo.curriculum.lessons(), 'school_id, id')
    await insertRows(sql, 'lesson_body', demo.curriculum.texts())
    const pages = await demo.pages()
    await writer
      .insertInto('page')
      .values(pages)
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    await writer
      .insertInto('page_revision')
      .values(demo.pageRevisions(pages))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    if (only !== 'catalogue') await writeActivity(database.kind, { writer, sql }, { context, activity, productFiles: demo.productFiles })
    for (const { table, rows } of extraRows(school.id, now)) await insertRows(sql, table, rows)
    const looks = demo.appearance()
    await writer
      .insertInto('appearance')
      .values({ ...looks.row, ...looks.pictures })
      // The row exists, with the colours of the configuration file.
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

/** Completes the school's row with values that its configuration file leaves out. */
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
