import { z } from 'zod'
import type { Database, Writer } from '../../database/connection/database.ts'
import type { FileStorage } from '../../database/files/fileStorage.ts'
import { takeRoom } from '../../database/files/storageUsage.ts'
import { withoutChecks, withoutLimits } from '../../database/statements/bulkRows.ts'
import { countSchools } from '../../database/tables/schoolCounts.ts'
import { describeSchoolTables } from '../../database/transfer/tableShapes.ts'
import type { School } from '../../school/settings/storedSchool.ts'
import { hasDemo } from './demoAccounts.ts'
import { activityTables, catalogueTables, describeRows } from './demoTables.ts'
import { createMarks } from './marks.ts'
import { pageTables } from './pageTables.ts'
import { readDemoFile } from './readDemoFile.ts'
import { storeFiles } from './storeFiles.ts'
import { type Written, writeAppearance, writeCounters, writeTables } from './writeTables.ts'

export interface DemoOptions {
  school: School
  /** The day from which all times of the demo count. */
  now: Date
  /** Returns a hash of the demo password (PHC string). All accounts share it, because each hash needs 19 MiB that malloc keeps. */
  hashPassword(): Promise<string>
  /** Without storage, the demo has no files. */
  storage?: FileStorage
  /** Creates courses only: no plans, products, enrolments, orders or comments. */
  only?: 'catalogue'
}

const schoolSchema = z.strictObject({
  name: z.string(),
  tagline: z.string(),
  description: z.string(),
  locale: z.string(),
  supported_locales: z.array(z.string()),
  time_zone: z.string(),
  currency: z.string(),
  contact_email: z.string(),
  address: z.strictObject({ line1: z.string(), postal_code: z.string(), city: z.string(), country: z.string() }),
  settings: z.strictObject({ tax: z.strictObject({ mode: z.literal('inclusive'), default_rate_bps: z.int(), tax_id: z.string() }) }),
})

/**
 * Creates the demo data of a school from the rows in the folder `demo`, which are the same on every run.
 * @returns false without a change if they exist
 */
export async function makeDemoSchool(database: Database, { school, now, hashPassword, storage, only }: DemoOptions): Promise<boolean> {
  if (await hasDemo(database.kysely, school.id)) return false
  const row = readDemoFile('school', schoolSchema)
  const marks = createMarks({ schoolId: school.id, now, passwordHash: await hashPassword(), timeZone: row.time_zone })
  const files = storage ? await storeFiles(storage, school.id, now) : []
  const hasFiles = files.length > 0
  const tables = [...(await catalogueTables()), ...(await pageTables(hasFiles)), ...(hasFiles ? [describeRows('file', files)] : [])]
  const { looks = [], catalogue = [] } = Object.groupBy(tables, ({ name }) => (name === 'appearance' ? 'looks' : 'catalogue'))
  return await database.transaction(async (writer, sql) => {
    // Another process may be creating the same rows: wait for it.
    await withoutLimits(sql)
    await writeSchool(writer, school, row)
    if (await hasDemo(writer, school.id)) return false
    const written = {
      sql,
      shapes: await describeSchoolTables(sql),
      marks,
      isLeftOut: (name: string) => (!hasFiles && fileColumns.test(name)) || (only === 'catalogue' && countsOfActivity.includes(name)),
    }
    await writeTables(written, catalogue)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    if (hasFiles) await takeRoom(writer, school.id, { bytes, quota: Number.MAX_SAFE_INTEGER })
    if (only !== 'catalogue') await writeActivity(database.kind, written, school.id)
    for (const appearance of looks) await writeAppearance(written, appearance)
    await countSchools(writer, school.id)
    return true
  })
}

/** Columns that refer to files. */
const fileColumns = /^(?:file_id|.+_file_id|.+_file_ids|.+_alt)$/

/** Columns of people, courses and lecturers that follow from the activity. */
const countsOfActivity = [
  ...['enrollments_count', 'active_enrollments_count', 'completed_courses_count', 'students_count'],
  ...['comments_count', 'rsvps_count', 'lifetime_spend', 'last_active_at', 'tier'],
]

/** Writes the activity of the school. */
async function writeActivity(kind: Database['kind'], written: Written, schoolId: string): Promise<void> {
  const tables = await activityTables()
  const write = () => writeTables(written, tables)
  // The embedded database takes seconds to check the references of these rows.
  if (kind === 'embedded') await withoutChecks(written.sql, write)
  else await write()
  await writeCounters(written, schoolId)
}

/** Completes the school's row with values that its configuration file leaves out. */
async function writeSchool(writer: Writer, { id, slug }: School, row: z.output<typeof schoolSchema>): Promise<void> {
  await writer
    .insertInto('school')
    .values({ id, slug, ...row, address: JSON.stringify(row.address), settings: JSON.stringify(row.settings) })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((row) => ({
        tagline: row.fn.coalesce('school.tagline', 'excluded.tagline'),
        description: row.fn.coalesce('school.description', 'excluded.description'),
        contact_email: row.fn.coalesce('school.contact_email', 'excluded.contact_email'),
        address: row.fn.coalesce('school.address', 'excluded.address'),
      })),
    )
    .execute()
}
