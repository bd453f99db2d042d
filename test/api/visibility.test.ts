import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/kit/operations.ts'
import { run } from '../../src/kit/run.ts'
import { newId, toPublicId } from '../../src/lib/ids.ts'
import { Problem } from '../../src/lib/problem.ts'
import type { Caller } from '../../src/policy/caller.ts'
import { operationsIn, resources } from '../../src/resources/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const operation = (id: string): Operation => operationsIn(resources).find((one) => one.id === id) as Operation

const course = fc.record({
  status: fc.constantFrom('draft', 'published', 'archived'),
  visibility: fc.constantFrom('public', 'unlisted', 'members'),
  position: fc.nat(3),
  isMine: fc.boolean(),
})

describe.each(await databasesToTest())('who sees which courses, on $name', ({ open }) => {
  let api: DemoApi
  let callers: { visitor: Caller; learner: Caller; lecturer: Caller; staff: Caller }
  beforeAll(async () => {
    api = await startDemoApi(await open())
    callers = {
      visitor: await api.caller(undefined),
      learner: await api.caller('learner001@example.org'),
      lecturer: await api.caller('lecturer2@example.com'),
      staff: await api.caller('admin1@example.com'),
    }
  })
  afterAll(() => api.stop())
  beforeEach(() => clear())

  async function clear(): Promise<void> {
    await api.database.kysely.deleteFrom('course_lecturer').where('school_id', '=', api.school.id).execute()
    await api.database.kysely.deleteFrom('course').where('school_id', '=', api.school.id).execute()
  }

  async function listed(caller: Caller): Promise<string[]> {
    const { database, signer, school } = api
    const ids: string[] = []
    let cursor: string | null | undefined
    do {
      const answer = await run(
        operation('listCourses'),
        caller,
        { parameters: () => ({ limit: 3, ...(cursor && { cursor }) }) },
        {
          database: database.kysely,
          signer,
          school,
        },
      )
      ids.push(...(answer.body.data as { id: string }[]).map(({ id }) => id))
      cursor = answer.list?.nextCursor
    } while (cursor)
    return ids
  }

  async function opens(caller: Caller, id: string): Promise<boolean> {
    const { database, signer, school } = api
    try {
      await run(operation('getCourse'), caller, { parameters: () => ({ id_or_slug: id }) }, { database: database.kysely, signer, school })
      return true
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return false
      throw error
    }
  }

  test('each audience sees what the one before it sees, from visitors to staff; and exactly what is listed opens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(course, { maxLength: 9 }), async (courses) => {
        await clear()
        const lecturerId = (callers.lecturer as { lecturerId: string }).lecturerId
        const school_id = api.school.id
        for (const { isMine, ...values } of courses) {
          const id = newId()
          await api.database.kysely
            .insertInto('course')
            .values({ school_id, id, slug: `c-${id}`, title: 'A course', language: 'en', ...values })
            .execute()
          if (isMine)
            await api.database.kysely.insertInto('course_lecturer').values({ school_id, course_id: id, lecturer_id: lecturerId }).execute()
        }
        const lists = Object.fromEntries(
          await Promise.all(Object.entries(callers).map(async ([name, caller]) => [name, await listed(caller)] as const)),
        ) as Record<keyof typeof callers, string[]>
        for (const list of Object.values(lists)) expect(new Set(list).size).toBe(list.length)
        expect(new Set(lists.visitor).isSubsetOf(new Set(lists.learner))).toBe(true)
        expect(new Set(lists.learner).isSubsetOf(new Set(lists.lecturer))).toBe(true)
        expect(new Set(lists.lecturer).isSubsetOf(new Set(lists.staff))).toBe(true)
        expect(lists.staff).toHaveLength(courses.length)

        for (const row of await stored()) {
          const isUnlisted = row.status === 'published' && row.visibility === 'unlisted'
          for (const [name, caller] of Object.entries(callers)) {
            expect([name, row.status, row.visibility, await opens(caller, row.id)]).toEqual([
              name,
              row.status,
              row.visibility,
              isUnlisted || lists[name as keyof typeof lists].includes(row.id),
            ])
          }
        }
      }),
      { numRuns: 20 },
    )
  }, 60_000)

  /** Every course of the school, past the API. */
  async function stored(): Promise<{ id: string; status: string; visibility: string }[]> {
    const rows = await api.database.kysely
      .selectFrom('course')
      .select(['id', 'status', 'visibility'])
      .where('school_id', '=', api.school.id)
      .execute()
    return rows.map((row) => ({ ...row, id: toPublicId('crs', row.id) }))
  }

  test("another school's rows do not exist, neither for its staff nor by their exact id", async () => {
    const other = await startDemoApi({ database: api.database, drop: async () => {} })
    const theirs = (await other.get('/api/v1/courses/clay-from-scratch')).json.id as string
    expect(await listed(callers.staff)).toEqual([])
    expect(await opens(callers.staff, theirs)).toBe(false)
    expect(await opens(await other.caller('admin1@example.com'), theirs)).toBe(false)
    await other.stop()
  })
})
