import fc from 'fast-check'
import { DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler, sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Audience, audiences, type Caller, type PersonViewer } from '../../src/base/caller.ts'
import { toPublicId } from '../../src/base/ids.ts'
import { Problem } from '../../src/base/problem.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import type { AnyRows, AnyRule, AnyTables } from '../../src/engine/declare/expressions.ts'
import type { Operation, OperationOf } from '../../src/engine/declare/operations.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { unwrapped } from '../../src/engine/declare/views.ts'
import type { ExternalServices } from '../../src/engine/externalServices.ts'
import { run } from '../../src/engine/run.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newEvent, newPost, newRsvps } from '../support/community.ts'
import { filesWithoutBytes, newFile } from '../support/files.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newOrder, newPerson, newProduct, newUses } from '../support/shop.ts'
import { runsOrThorough } from '../support/thorough.ts'
import { startDemoApi } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

const operations = operationsIn(resources)
const isList = (operation: Operation): operation is OperationOf<'list'> => operation.kind === 'list'
const lists = operations.filter(isList)
const rowReads = operations.filter(({ kind, resource }) => kind === 'get' && !resource.isSingleton)
const listOf = (resource: Resource): Operation | undefined => lists.find((one) => one.resource === resource && one.parent === undefined)
const curriculum = operations.find(({ id }) => id === 'getCurriculum') as Operation
// Reads use only the file URLs of the external services.
const externalServices = { files: filesWithoutBytes } as ExternalServices
/** So many rows of one table are opened one by one, other ones each time. */
const openedRows = 12

/** Some of many, other ones with each seed. */
const some = (all: readonly string[], seed: number): string[] =>
  all.filter((_id, index) => all.length <= openedRows || (index + seed) % Math.ceil(all.length / openedRows) === 0)

/** Writes statements, and sends none. */
const compiler = new Kysely<AnyTables>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
})

const person: PersonViewer = {
  kind: 'person',
  schoolId: 'school',
  role: 'learner',
  accountId: 'me',
  personId: 'me',
  lecturerId: 'me',
  scopes: new Set(),
  clientId: 'cli_test',
  grantId: 'grant',
}

/** The enumerated columns on which the visibility of a row depends. */
function decidingColumns({
  table,
  schema,
  columns,
  stateColumn,
  visibility,
  unlisted,
  views,
}: Resource): [column: string, values: readonly string[]][] {
  const rules = [...Object.values(visibility), unlisted, ...Object.values(views)].filter((rule) => rule !== undefined) as AnyRule[]
  const text = rules
    .map(
      (rule) =>
        compiler
          .selectFrom(table as 'any_table')
          .select('id')
          .where((rows) => rule(rows as AnyRows, person))
          .compile().sql,
    )
    .join('\n')
  return Object.entries(schema.shape).flatMap(([name, field]): [string, readonly string[]][] => {
    const values = unwrapped(field as z.ZodType)
    const column = name === 'status' ? stateColumn : name
    if (!columns.includes(column) || !text.includes(`"${column}"`)) return []
    if (values instanceof z.ZodEnum) return [[column, values.options.map(String)]]
    return values instanceof z.ZodBoolean ? [[column, ['false', 'true']]] : []
  })
}

const draft = sql`jsonb_build_object('title', draft_title, 'blocks', draft_blocks, 'seo', draft_seo, 'show_in_navigation', draft_show_in_navigation)`

describeDemo('visible rows, on $name', (api) => {
  /** Uses one person with each role in turn: each role sees at least the rows of the role before it. */
  let callers: Record<Audience, Caller>
  let teacher: PersonViewer
  beforeAll(async () => {
    // Limits the largest tables to a few pages, because each further row takes time.
    await api.database.sql.query(
      'DELETE FROM lesson_progress WHERE school_id = $1 AND id NOT IN (SELECT id FROM lesson_progress WHERE school_id = $1 ORDER BY id LIMIT 250)',
      [api.school.id],
    )
    teacher = (await api.caller('lecturer2@example.com')) as PersonViewer
    callers = {
      anonymous: { kind: 'anonymous' },
      learner: { ...teacher, role: 'learner', lecturerId: null },
      lecturer: teacher,
      staff: { ...teacher, role: 'admin' },
    }
    for (let count = 0; count < 12; count++) {
      await newFile(api.database.sql, api.school.id)
      const plan = await newPlan(api.database.sql, api.school.id)
      await newSubscription(api.database.sql, api.school.id, { ...plan, personId: await newPerson(api.database.sql, api.school.id) })
    }
    await newUses(api.database.sql, api.school.id, 6)
    for (let count = 0; count < 6; count++) await newOrder(api.database.sql, api.school.id)
    for (let count = 0; count < 6; count++) await newProduct(api.database.sql, api.school.id)
    for (let count = 0; count < 6; count++) await newEvent(api.database.sql, api.school.id)
    for (let count = 0; count < 6; count++) await newPost(api.database.sql, api.school.id, { due: count % 2 ? '-1 hour' : '1 hour' })
    await newRsvps(api.database.sql, api.school.id, await newEvent(api.database.sql, api.school.id), 2)
  })

  const ask = (operation: Operation, caller: Caller, parameters: Record<string, unknown>) => {
    const { database, signer, school } = api
    return run(
      operation,
      caller,
      { parameters: () => parameters },
      { database: inSchool(database.kysely, school.id), signer, school, externalServices },
    )
  }

  /** Undefined if the caller sees no row. */
  async function found(operation: Operation, caller: Caller, parameters: Record<string, unknown>): Promise<object | undefined> {
    try {
      return (await ask(operation, caller, parameters)).body
    } catch (error) {
      if (error instanceof Problem && ['not_found', 'access_denied'].includes(error.code)) return undefined
      throw error
    }
  }

  async function listed(operation: Operation, caller: Caller, parameters: Record<string, unknown> = {}): Promise<Set<string>> {
    const ids: string[] = []
    let cursor: string | undefined
    do {
      const body = (await found(operation, caller, { ...parameters, limit: 100, ...(cursor && { cursor }) })) as
        | { data: { id: string }[]; page: { next_cursor: string | null } }
        | undefined
      ids.push(...(body?.data ?? []).map(({ id }) => id))
      cursor = body?.page.next_cursor ?? undefined
    } while (cursor)
    expect(new Set(ids).size).toBe(ids.length)
    return new Set(ids)
  }

  /** Ids of the rows of the school that a rule lets through, past the API. */
  async function stored({ table, idPrefix, part }: Resource, rule?: Resource['unlisted']): Promise<string[]> {
    const rows = await (api.database.kysely as unknown as Kysely<AnyTables>)
      .selectFrom(table as 'any_table')
      .select('id')
      .where('school_id', '=', api.school.id)
      .where((inner) => inner.and([part ? part(inner) : inner.lit(true), rule ? rule(inner) : inner.lit(true)]))
      .execute()
    return rows.map(({ id }) => toPublicId(idPrefix, id))
  }

  const inTrees = async (caller: Caller): Promise<Set<string>> => {
    const trees = await Promise.all(
      (await stored(curriculum.resource)).map((id) => found(curriculum, caller, { [curriculum.parameters[0]?.name as string]: id })),
    )
    return new Set([...JSON.stringify(trees).matchAll(/"id":"((?:sec|les)_\w+)"/g)].map(([, id]) => id as string))
  }

  /** A number that is the same for the same row, column and seed. */
  const chance = (seed: number, column: string) => sql`(hashtext(id::text || ${column} || ${String(seed)})::bigint + 2147483648)`

  /** Gives every row of the school whatever its columns may hold, and the person some of the courses and files. */
  async function shuffle(seed: number): Promise<void> {
    const { kysely } = api.database
    const mine = sql`school_id = ${api.school.id}`
    for (const resource of new Set(rowReads.map((read) => read.resource))) {
      const assigned = decidingColumns(resource).flatMap(([column, values]) => {
        const choice = sql`('{${sql.raw(values.join(','))}}'::text[])[1 + ${chance(seed, column)} % ${sql.lit(values.length)}]`
        const value = values.includes('true') ? sql`(${choice})::boolean` : choice
        // A page has something to show exactly while it is published.
        const also = resource.table === 'page' && column === 'status' ? [sql`live = CASE ${value} WHEN 'published' THEN ${draft} END`] : []
        return [sql`${sql.ref(column)} = ${value}`, ...also]
      })
      if (assigned.length > 0) await sql`UPDATE ${sql.table(resource.table)} SET ${sql.join(assigned)} WHERE ${mine}`.execute(kysely)
    }
    await sql`UPDATE file SET uploaded_by = CASE ${chance(seed, 'by')} % 2 WHEN 0 THEN ${teacher.accountId}::uuid END WHERE ${mine}`.execute(
      kysely,
    )
    await sql`DELETE FROM course_lecturer WHERE ${mine} AND lecturer_id = ${teacher.lecturerId}`.execute(kysely)
    await sql`INSERT INTO course_lecturer (school_id, course_id, lecturer_id) SELECT school_id, id, ${teacher.lecturerId}::uuid
                FROM course WHERE ${mine} AND ${chance(seed, 'taught')} % 3 = 0`.execute(kysely)
  }

  const subset = (name: string, smaller: Set<string>, larger: Set<string>) =>
    expect([name, [...smaller.difference(larger)]], 'seen by one audience and not by the next').toEqual([name, []])

  test('the rules of the resources name columns to be varied', () => {
    const varied = rowReads.flatMap(({ resource }) => decidingColumns(resource).map(([column]) => `${resource.name}.${column}`))
    expect(varied).toEqual(
      expect.arrayContaining(['courses.status', 'courses.visibility', 'lecturers.status', 'pages.visibility', 'lessons.status']),
    )
  })

  test('each audience sees what the one before it sees, from visitors to staff; and exactly what is listed opens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1_000_000 }), async (seed) => {
        await shuffle(seed)
        for (const audience of audiences) await Promise.all(rowReads.map((read) => provesOpening(read, audience, seed)))
        for (const list of lists) {
          const parents = list.parent ? some(await stored(list.parent.resource), seed) : [undefined]
          for (const parent of parents) {
            const parameters = parent === undefined ? {} : { [list.parameters[0]?.name as string]: parent }
            const seen = await Promise.all(audiences.map((audience) => listed(list, callers[audience], parameters)))
            for (const [index, rows] of seen.slice(1).entries()) subset(list.id, seen[index] as Set<string>, rows)
            if (parent === undefined) expect([list.id, seen.at(-1)?.size]).toEqual([list.id, (await stored(list.resource)).length])
            else {
              const whole = listOf(list.resource)
              if (whole) subset(list.id, seen[0] as Set<string>, await listed(whole, callers.anonymous))
            }
          }
        }
      }),
      { numRuns: runsOrThorough(2, 3), endOnFailure: true },
    )
  })

  async function provesOpening(read: Operation, audience: Audience, seed: number): Promise<void> {
    const { resource } = read
    const list = listOf(resource)
    const isPart = resource.under !== undefined && list === undefined
    if (!list && !isPart) return
    const caller = callers[audience]
    const seen = list ? await listed(list, caller) : await inTrees(caller)
    const unlisted = new Set(list && resource.unlisted ? await stored(resource, resource.unlisted) : [])
    const all = await stored(resource)
    const wrong = await Promise.all(
      some(all, seed).map(async (id) => {
        const opens = (await found(read, caller, { [read.parameters[0]?.name as string]: id })) !== undefined
        return opens === (seen.has(id) || unlisted.has(id)) ? [] : [`${read.id} ${id}: ${opens ? 'opens' : 'is shown'} only`]
      }),
    )
    expect([audience, ...wrong.flat()]).toEqual([audience])
  }

  test("another school's rows do not exist, neither for its staff nor by their exact id", async () => {
    const other = await startDemoApi({ database: api.database, drop: async () => {} })
    for (const read of rowReads) {
      for (const id of (await stored(read.resource)).slice(0, openedRows)) {
        const reply = await other.get(read.path.replace(/\{\w+\}/, id), { as: 'owner@example.com' })
        expect([read.id, id, reply.status]).toEqual([read.id, id, 404])
      }
    }
    const ours = new Set((await Promise.all(lists.map((list) => stored(list.resource)))).flat())
    for (const list of lists.filter(({ parent }) => parent === undefined)) {
      const reply = await other.get(`${list.path}?limit=100`, { as: 'owner@example.com' })
      const theirs = (reply.json.data as { id: string }[]).map(({ id }) => id)
      expect([list.id, reply.status, theirs.filter((id) => ours.has(id))]).toEqual([list.id, 200, []])
    }
    await other.stop()
  })
})
