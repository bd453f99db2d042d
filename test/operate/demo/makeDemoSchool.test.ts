import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import type { School } from '../../../src/base/school.ts'
import { inSchool } from '../../../src/database/school/inSchool.ts'
import { findPerson } from '../../../src/identity/accounts/findPerson.ts'
import { demoId } from '../../../src/operate/demo/ids.ts'
import { makeDemoSchool } from '../../../src/operate/demo/makeDemoSchool.ts'
import { countTree } from '../../../src/school/curriculum/countTree.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { noStorage } from '../../support/files.ts'

const now = new Date('2026-03-01T00:00:00.000Z')
const tables = [
  'school',
  'account',
  'person',
  'staff',
  'lecturer',
  'course',
  'course_lecturer',
  'section',
  'lesson',
  'lesson_body',
  'file',
  'file_reference',
  'enrollment',
  'lesson_progress',
  'orders',
  'subscription',
  'comment',
  'rsvp',
]

describe.each(await databasesToTest())('the demo school on $name', ({ open }) => {
  const opened = duringTests(open)
  let school: School
  beforeAll(() => {
    school = { id: newId(), slug: 'demo', issuer: 'http://127.0.0.1:3000' }
  })

  const contents = async () => Promise.all(tables.map((table) => opened.database.sql.query(`SELECT * FROM ${table} t ORDER BY t::text`)))
  const make = (at = now) =>
    makeDemoSchool(opened.database, {
      school,
      now: at,
      storage: noStorage,
      hashPassword: async () => `$argon2id$${hashes++}`,
    })
  let hashes = 0

  test('is made once: a second run, also on another day, changes nothing', async () => {
    expect(await make()).toBe(true)
    const made = await contents()
    expect(made.map((rows) => rows.length)).toEqual([1, 28, 428, 8, 6, 14, 17, 58, 243, 243, 75, 77, 910, 12_800, 520, 168, 180, 214])
    expect(hashes).toBe(1)
    expect(await make(new Date('2027-01-01T00:00:00Z'))).toBe(false)
    expect(await contents()).toEqual(made)
    expect(hashes).toBe(1)
  })

  test('has people of every role, of whom the documented ones can sign in', async () => {
    const roleOf = async (email: string): Promise<[string | undefined, boolean]> => {
      const [account] = await opened.database.sql.query<{ id: string; password_hash: string | null }>(
        'SELECT id, password_hash FROM account WHERE school_id = $1 AND email = $2',
        [school.id, email],
      )
      const person = await findPerson(inSchool(opened.database.kysely, school.id), account?.id as string)
      expect(person?.lecturerId != null).toBe(person?.role === 'lecturer')
      return [person?.role, account?.password_hash != null]
    }
    expect(await roleOf('owner@example.com')).toEqual(['owner', true])
    expect(await roleOf('admin2@example.com')).toEqual(['admin', true])
    expect(await roleOf('lecturer5@example.com')).toEqual(['lecturer', true])
    expect(await roleOf('learner001@example.org')).toEqual(['learner', true])
    expect(await roleOf('learner020@example.org')).toEqual(['learner', false])
  })

  test('has 420 people of two-word names beside its staff: 360 students, 300 members, 240 of them both', async () => {
    const [row] = await opened.database.sql.query(
      `SELECT count(*) FILTER (WHERE is_student)::int AS students, count(*) FILTER (WHERE is_member)::int AS members,
              count(*) FILTER (WHERE is_student AND is_member)::int AS both, count(DISTINCT name)::int AS names,
              count(*) FILTER (WHERE name ~ '^[A-Z][a-z]+ [A-Z][a-z]+$')::int AS invented, max(created_at) < $2 AS is_past
         FROM person WHERE school_id = $1 AND (is_student OR is_member)`,
      [school.id, now],
    )
    expect(row).toEqual({ students: 360, members: 300, both: 240, names: 420, invented: 420, is_past: true })
  })

  test('has fourteen courses: ten in the catalogue, one each for members, by address, in draft and in the archive', async () => {
    const rows = await opened.database.sql.query<{ state: string; count: string }>(
      `SELECT status || ' ' || visibility AS state, count(*)::text AS count FROM course WHERE school_id = $1 GROUP BY 1`,
      [school.id],
    )
    expect(Object.fromEntries(rows.map(({ state, count }) => [state, count]))).toEqual({
      'published public': '10',
      'published members': '1',
      'published unlisted': '1',
      'draft public': '1',
      'archived public': '1',
    })
  })

  test('has courses whose numbers are those of their lessons, with previews, drafts and quizzes', async () => {
    const [row] = await opened.database.sql.query(
      `SELECT count(*) FILTER (WHERE is_preview)::int AS previews, count(*) FILTER (WHERE status = 'draft')::int AS drafts,
              count(*) FILTER (WHERE kind = 'quiz' AND quiz IS NOT NULL)::int AS quizzes
         FROM lesson WHERE school_id = $1`,
      [school.id],
    )
    expect(row).toEqual({ previews: 31, drafts: 9, quizzes: 18 })
    const counts = () =>
      opened.database.sql.query(
        `SELECT id, sections_count, lessons_count, published_lessons_count, previews_count, published_previews_count,
                duration_minutes, published_duration_minutes
           FROM course WHERE school_id = $1 ORDER BY id`,
        [school.id],
      )
    const made = await counts()
    for (const { id } of made as { id: string }[]) {
      await opened.database.transaction((writer) => countTree(inSchool(writer, school.id), { courseId: id }, { isSeen: false }))
    }
    expect(await counts()).toEqual(made)
    const titles = await opened.database.sql.query<{ title: string }>('SELECT title FROM lesson WHERE school_id = $1', [school.id])
    expect(new Set(titles.map(({ title }) => title)).size).toBe(243)
    expect(titles.filter(({ title }) => /[*?~|]/.test(title))).toEqual([])
  })

  test('keeps what the school already says of itself', async () => {
    const own: School = { id: newId(), slug: 'own', issuer: 'http://127.0.0.1:3001' }
    await opened.database.sql.query(
      `INSERT INTO school (id, slug, name, tagline, locale, time_zone, currency) VALUES ($1, 'own', 'Own', 'Ours', 'de', 'UTC', 'CHF')`,
      [own.id],
    )
    await makeDemoSchool(opened.database, { school: own, now, storage: noStorage, hashPassword: async () => 'x' })
    const rows = await opened.database.sql.query(
      'SELECT name, tagline, locale, description IS NOT NULL AS described FROM school WHERE id = $1',
      [own.id],
    )
    expect(rows).toEqual([{ name: 'Own', tagline: 'Ours', locale: 'de', described: true }])
  })

  test('two starts at once make one demo school', async () => {
    const other: School = { id: newId(), slug: 'other', issuer: 'http://127.0.0.1:3002' }
    await Promise.all(
      [1, 2].map(() => makeDemoSchool(opened.database, { school: other, now, storage: noStorage, hashPassword: async () => 'x' })),
    )
    expect(await opened.database.sql.query('SELECT count(*)::int AS n FROM course WHERE school_id = $1', [other.id])).toEqual([{ n: 14 }])
  })
})

test('ids are valid UUIDv7, the same on every run, different per school, and in the order of their numbers', () => {
  const ids = Array.from({ length: 50 }, (_, index) => demoId('school', 'course', index))
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(ids).toEqual(ids.toSorted())
  expect(ids[0]).toBe(demoId('school', 'course', 0))
  expect(ids[0]).not.toBe(demoId('other', 'course', 0))
})
