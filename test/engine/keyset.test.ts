import type { CompiledQuery } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sortedTables } from '../../scripts/documents/sortedTables.ts'
import type { Caller } from '../../src/base/caller.ts'
import { newId } from '../../src/base/ids.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import type { OperationOf } from '../../src/engine/declare/operations.ts'
import { queryScopeOf } from '../../src/engine/declare/queryScope.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import type { Sort } from '../../src/engine/declare/sorts.ts'
import { unwrapped } from '../../src/engine/declare/views.ts'
import { findRows } from '../../src/engine/read/findRows.ts'
import type { RowCondition } from '../../src/engine/read/listStatement.ts'
import { courses } from '../../src/school/courses/courses.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { compilingKysely } from '../support/compilingKysely.ts'
import { everyDatabase } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { newSchool } from '../support/rows.ts'

interface ListRequest {
  resource: Resource
  schoolId: string
  caller: Caller
  conditions: readonly RowCondition[]
  sort: Sort
  value: string | number | null
}

/** The statement that a page costs. */
async function statementOf({ conditions, sort, value, ...scope }: ListRequest): Promise<CompiledQuery> {
  let statement: CompiledQuery | undefined
  const kysely = compilingKysely((compiled) => {
    statement = compiled
  })
  await findRows(inSchool(kysely, scope.schoolId), queryScopeOf(scope), { conditions, sort, after: { value, id: newId() }, limit: 21 })
  return statement as CompiledQuery
}

describe.each(await everyDatabase())('a page from the middle of a list, on $name', ({ open }) => {
  const opened = duringTests(open)
  let schoolId: string
  beforeAll(async () => {
    schoolId = await newSchool(opened.database.sql)
    await opened.database.sql.query(
      `INSERT INTO course (school_id, id, slug, title, language, status, position)
       SELECT $1, gen_random_uuid(), 'c-' || n, 'Course ' || n, 'en', 'published', n FROM generate_series(1, 5000) n`,
      [schoolId],
    )
    await opened.database.sql.query('VACUUM ANALYZE course')
  })

  test.each([
    ['position', 2500, 'ROW("position", id) > '],
    ['-position', 2500, 'ROW("position", id) < '],
    ['title', 'course 25', 'ROW(title_order, id) > '],
    ['-created_at', '2026-01-01T00:00:00.000Z', '(id < '],
    ['published_at', '2026-01-01T00:00:00.000Z', "ROW(COALESCE(published_at, '-infinity'::timestamp with time zone), id) > "],
    ['-published_at', null, "ROW(COALESCE(published_at, '-infinity'::timestamp with time zone), id) < "],
  ])('sorted by %s is found by an index, not by reading what lies before it', async (name, value, condition) => {
    const sort = courses.sorts.find((one) => one.name === name) as Sort
    const { sql, parameters } = await statementOf({
      resource: courses,
      schoolId,
      caller: { kind: 'anonymous' },
      conditions: [],
      sort,
      value,
    })
    expect(sql).not.toMatch(/offset/i)
    const rows = await opened.database.sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${sql}`, parameters)
    const plan = rows.map((row) => row['QUERY PLAN'])
    expect(plan.find((line) => line.includes('Index Cond') && line.includes(condition))).toBeDefined()
    expect(plan.some((line) => line.includes('Seq Scan on course'))).toBe(false)
  })
})

const person = {
  kind: 'person',
  accountId: newId(),
  personId: newId(),
  lecturerId: newId(),
  clientId: 'cli_test',
  grantId: 'grant',
} as const
const callers: Record<string, Caller> = {
  anonymous: { kind: 'anonymous' },
  learner: { ...person, role: 'learner', scopes: new Set() },
  lecturer: { ...person, role: 'lecturer', scopes: new Set() },
  staff: { ...person, role: 'owner', scopes: new Set() },
}

/** A value that a row could have there. */
function anyValue({ schema }: Resource, { column }: Sort): string | number {
  if (!(column in schema.shape)) return 2500
  const field = unwrapped(schema.shape[column] as z.ZodType)
  if (field instanceof z.ZodISODateTime) return '2026-01-01T00:00:00.000Z'
  return field instanceof z.ZodNumber ? 2500 : 'Course 25'
}

const lists = operationsIn(resources).filter((operation): operation is OperationOf<'list'> => operation.kind === 'list')

// Both databases have the same planner, so the embedded one is used only if there is no server.
describe.each((await everyDatabase()).slice(-1))('every list on $name', ({ open }) => {
  const opened = duringTests(open)

  // The plan depends on the rows. The schema must allow an index scan without a sort.
  test.each(lists)(
    '$id goes on from a place inside an index, in every order, for those who see least and most',
    async ({ resource, parent }) => {
      const { table, sorts, audiences } = resource
      const conditions: RowCondition[] = parent ? [(rows) => parent.where?.(rows, newId()) ?? rows.lit(false)] : []
      await opened.database.transaction(async (_writer, session) => {
        for (const way of ['seqscan', 'bitmapscan', 'sort', 'incremental_sort']) await session.query(`SET LOCAL enable_${way} = off`)
        for (const sort of sorts.filter(({ column }) => column !== 'updated_at' || !sortedTables.has(table))) {
          for (const audience of new Set([audiences[0], 'staff'] as const)) {
            const caller = callers[audience as string] as Caller
            const value = anyValue(resource, sort)
            const { sql, parameters } = await statementOf({ resource, schoolId: newId(), caller, conditions, sort, value })
            const plan = await session.query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS off) ${sql}`, parameters)
            const text = [`${sort.name} for ${audience}`, ...plan.map((row) => row['QUERY PLAN'])].join('\n')
            const first = sort.column === 'created_at' ? 'id' : sort.column
            const fix = `${resource.name} cannot go on inside an index, sorted by ${sort.name} for ${audience}: add @@index([school_id, ${first}, id]) to model ${table}, or the index with COALESCE that npm run docs names`
            expect(text, fix).toMatch(
              sort.column === 'created_at' ? /Index Cond: .*\bid [<>] / : new RegExp(`Index Cond: .*ROW\\(.*\\b${first}\\b.*, id\\) [<>] `),
            )
            expect(text, fix).not.toMatch(new RegExp(`Sort Key: \\(*(COALESCE\\()?(${table}\\.)?"?${first}\\b`))
          }
        }
      })
    },
  )
})
