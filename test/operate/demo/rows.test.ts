import { execFile } from 'node:child_process'
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../../../src/base/ids.ts'
import { activityTables, catalogueTables } from '../../../src/operate/demo/demoTables.ts'
import { makeDemoSchool } from '../../../src/operate/demo/makeDemoSchool.ts'
import { availableServices, openTestDatabase } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { noStorage } from '../../support/files.ts'

const { postgresql } = await availableServices()
const schoolId = newId()

describe('the rows in the folder demo', () => {
  const opened = duringTests(openTestDatabase)
  beforeAll(async () => {
    await makeDemoSchool(opened.database, {
      school: { id: schoolId, slug: 'demo', issuer: 'http://127.0.0.1:3000' },
      now: new Date('2026-11-28T00:00:00Z'),
      storage: noStorage,
      hashPassword: async () => 'none',
    })
  })

  test('are all in the school afterwards', async () => {
    for (const { name, lines } of [...(await catalogueTables()), ...(await activityTables())]) {
      const rows = await opened.database.sql.query(`SELECT FROM "${name}" WHERE school_id = $1`, [schoolId])
      expect([name, rows.length]).toEqual([name, lines.length])
    }
  })

  test('name columns that exist', async () => {
    for (const { name, columns } of [...(await catalogueTables()), ...(await activityTables())]) {
      const found = await opened.database.sql.query<{ name: string }>(
        'SELECT column_name AS name FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = $1',
        [name],
      )
      const added = ['id', 'created_at', 'updated_at', 'bio_html', 'body_html', 'content_html', 'description_html']
      const known = [...found.map((column) => column.name), ...added]
      expect([name, [...columns].filter((column) => !known.includes(column))]).toEqual([name, []])
    }
  })

  test('leave no mark without a value', async () => {
    for (const { name } of [...(await catalogueTables()), ...(await activityTables())]) {
      const marked = await opened.database.sql.query(`SELECT FROM "${name}" t WHERE to_jsonb(t)::text ~ '"([a-z]{3}_)?@' LIMIT 1`)
      expect([name, marked]).toEqual([name, []])
    }
  })

  test.runIf(postgresql)('are the same when scripts/demoRows.ts writes them again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'schoolgate-demo-rows-'))
    await cp('demo', join(folder, 'demo'), { recursive: true })
    const env = { ...process.env, DATABASE_URL: opened.url }
    await promisify(execFile)(process.execPath, [resolve('scripts/demoRows.ts'), 'demo', '2026-11-28'], { cwd: folder, env })
    for (const name of await readdir('demo', { recursive: true })) {
      if (!/\.(?:yaml|ndjson|gz)$/.test(name)) continue
      expect((await readFile(join(folder, 'demo', name))).equals(await readFile(join('demo', name))), name).toBe(true)
    }
    await rm(folder, { recursive: true })
  })
})
