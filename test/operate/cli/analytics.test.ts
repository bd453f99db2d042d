import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { refreshSchool } from '../../../src/school/analytics/rollups/refreshSchool.ts'
import { openTestDatabase, type TestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { type Cli, createCli, schoolFile, writeConfig } from './cli.ts'

const opened = duringTests(openTestDatabase)
let database: TestDatabase['database']
let cli: Cli
let schoolId: string
beforeAll(async () => {
  database = opened.database
  const CONFIG_DIR = await writeConfig({ 'schools/quill.yaml': schoolFile('http://127.0.0.1:3000', 'Quill Harbour') })
  const DATA_DIR = await mkdtemp(join(tmpdir(), 'schoolgate-analytics-'))
  cli = createCli({ variables: { CONFIG_DIR, DATA_DIR, SECRET_KEY: 'a root secret that is long enough to be taken' }, database })
  schoolId = newId()
  await database.sql.query(
    `INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, 'quill', 'Quill Harbour', 'en', 'Europe/Berlin', 'EUR')`,
    [schoolId],
  )
})

const students = async () =>
  (
    await database.sql.query<{ students: number }>(
      'SELECT coalesce(sum(new_students), 0)::int AS students FROM analytics_daily_school WHERE school_id = $1',
      [schoolId],
    )
  )[0]?.students
const addStudent = (at: string) =>
  database.sql.query(
    `INSERT INTO person (school_id, id, email, name, is_student, created_at, updated_at) VALUES ($1, $2, $3, 'Pim', true, $4, $4)`,
    [schoolId, newId(), `${newId()}@example.test`, at],
  )

test('analytics rebuild counts rows with past dates, in the given days or in all', async () => {
  await addStudent('2026-03-01T10:00:00Z')
  await refreshSchool(database, { schoolId, now: new Date() })
  await addStudent('2026-01-01T10:00:00Z')
  await addStudent('2026-02-01T10:00:00Z')
  await refreshSchool(database, { schoolId, now: new Date() })
  expect(await students()).toBe(1)
  expect(await cli(['analytics', 'rebuild', '--from', '2026-02-01', '--to', '2026-02-28'])).toMatchObject({
    exitCode: 0,
    out: expect.stringMatching(/^\d+ daily figures changed\n$/),
  })
  expect(await students()).toBe(2)
  expect(await cli(['analytics', 'rebuild', '--school', 'quill'])).toMatchObject({ exitCode: 0 })
  expect(await students()).toBe(3)
  expect((await cli(['analytics', 'rebuild'])).out).toBe('0 daily figures changed\n')
  const trail = await database.sql.query(`SELECT 1 FROM audit_log WHERE event = 'operator.analytics_rebuilt'`)
  expect(trail).toHaveLength(3)
})

test.each([
  [['--from', '2026-02-30'], '--from must be an existing day'],
  [['--to', 'yesterday'], '--to must be an existing day'],
  [['--from', '2026-03-02', '--to', '2026-03-01'], '--from must not be after --to'],
])('analytics rebuild %j is a usage error', async (options, output) => {
  expect(await cli(['analytics', 'rebuild', ...options])).toMatchObject({ exitCode: 2, err: expect.stringContaining(output) })
})

test('analytics rebuild fails while another process computes the figures', async () => {
  let release = (): void => undefined
  const held = database.exclusively('analytics_rollups', () => new Promise<void>((resolve) => (release = resolve)))
  await expect.poll(async () => (await cli(['analytics', 'rebuild'])).err).toContain('another process')
  release()
  await held
})
