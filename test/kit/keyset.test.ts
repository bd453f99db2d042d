import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { DB } from '../../src/gen/kysely/tables.ts'
import { findRows } from '../../src/kit/rows.ts'
import type { Sort } from '../../src/kit/sorts.ts'
import { newId } from '../../src/lib/ids.ts'
import { courses } from '../../src/resources/courses.ts'
import { databasesToTest, type TestDatabase } from '../support/databases.ts'
import { newSchool } from '../support/rows.ts'

/** The statement that a page costs. */
async function statementOf(schoolId: string, sort: Sort, value: string | number | null): Promise<CompiledQuery> {
  let statement: CompiledQuery | undefined
  const kysely = new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: ({ query }) => {
      statement = query
    },
  })
  const sight = { resource: courses, schoolId, caller: { kind: 'anonymous' } as const }
  await findRows(kysely, sight, { conditions: [], sort, after: { value, id: newId() }, limit: 21 })
  return statement as CompiledQuery
}

describe.each(await databasesToTest())('a page from the middle of a list, on $name', ({ open }) => {
  let opened: TestDatabase
  let schoolId: string
  beforeAll(async () => {
    opened = await open()
    schoolId = await newSchool(opened.database.sql)
    await opened.database.sql.query(
      `INSERT INTO course (school_id, id, slug, title, language, status, position)
       SELECT $1, gen_random_uuid(), 'c-' || n, 'Course ' || n, 'en', 'published', n FROM generate_series(1, 5000) n`,
      [schoolId],
    )
    await opened.database.sql.query('ANALYZE course')
  })
  afterAll(() => opened.drop())

  test.each([
    ['position', 2500, 'ROW("position", id) > '],
    ['-position', 2500, 'ROW("position", id) < '],
    ['title', 'Course 25', 'ROW(title, id) > '],
    ['-created_at', '2026-01-01T00:00:00.000Z', '(id < '],
    ['updated_at', '2026-01-01T00:00:00.000Z', 'ROW(updated_at, id) > '],
    ['published_at', '2026-01-01T00:00:00.000Z', "ROW(COALESCE(published_at, '-infinity'::timestamp with time zone), id) > "],
    ['-published_at', null, "ROW(COALESCE(published_at, '-infinity'::timestamp with time zone), id) < "],
  ])('sorted by %s is found by an index, not by reading what lies before it', async (name, value, condition) => {
    const sort = courses.sorts.find((one) => one.name === name) as Sort
    const { sql, parameters } = await statementOf(schoolId, sort, value)
    expect(sql).not.toMatch(/offset/i)
    const rows = await opened.database.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters)
    const plan = rows.map((row) => row['QUERY PLAN'])
    expect(plan.find((line) => line.includes('Index Cond') && line.includes(condition))).toBeDefined()
    expect(plan.some((line) => line.includes('Seq Scan on course'))).toBe(false)
  })
})
