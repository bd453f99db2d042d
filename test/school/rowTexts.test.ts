import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audienceOf } from '../../src/base/caller.ts'
import { isObject } from '../../src/base/text/jsonValue.ts'
import { createContentVersions } from '../../src/database/facts/contentVersions.ts'
import { inSchool } from '../../src/database/school/inSchool.ts'
import { counters } from '../../src/database/statements/columnKinds.ts'
import { isLive, partOf } from '../../src/engine/declare/liveMembers.ts'
import { queryScopeOf, tableOf, tables } from '../../src/engine/declare/queryScope.ts'
import type { Resource } from '../../src/engine/declare/resource.ts'
import { named } from '../../src/engine/read/selectRows.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { embeddedDatabase } from '../support/databases.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'
import { callersByPower } from './rowsToRead.ts'

const owner = 'owner@example.com'
const [, learner = ''] = callersByPower
const kept = resources.filter((one): one is Resource => 'live' in one && one.live !== undefined)
const isOfKept = ({ resource }: { resource: Resource }): boolean => kept.includes(resource)
const lists = operationsIn(resources).filter((one) => one.kind === 'list' && isOfKept(one) && !one.path.includes('{'))

// The embedded database proves versions without Redis.
async function embedded() {
  const database = await embeddedDatabase()
  return { database, drop: () => database.close() }
}

describe('texts of rows that are kept', () => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await embedded(), undefined, undefined, { isWhole: true })
  })
  afterAll(() => api.stop())

  const read = (path: string, as: string | undefined, headers = {}): Promise<Reply> => api.get(path, { as, headers })

  /** Reads twice with kept texts and once without, and expects the same bytes. Returns the rows. */
  async function expectSame(path: string, as: string | undefined): Promise<{ id: string }[]> {
    const replies = [await read(path, as), await read(path, as), await read(path, as, { 'x-test-fresh': '1' })]
    const seen = replies.map(({ status, text, headers }) => ({ status, text, etag: headers.get('etag') }))
    expect(seen[0], `${path} as ${as}`).toEqual(seen[2])
    expect(seen[1], `${path} as ${as}, again`).toEqual(seen[2])
    const { data } = replies[2]?.json ?? {}
    return Array.isArray(data) ? data : []
  }

  test('every list and row has the same bytes with kept texts and without, for every caller', async () => {
    expect(lists.map(({ resource }) => resource.name)).toEqual(kept.map(({ name }) => name))
    for (const { path } of lists)
      for (const as of callersByPower) {
        const rows = await expectSame(`${path}?limit=50`, as)
        for (const { id } of rows.slice(0, 6)) await expectSame(`${path}/${id}`, as)
      }
  }, 120_000)

  test('`fields` selects the same members from kept texts as from rows, also nested ones', async () => {
    for (const { path } of lists)
      for (const as of [undefined, learner, owner]) {
        const rows = await expectSame(`${path}?limit=5`, as)
        const [row] = rows
        const names = Object.entries(row ?? {}).flatMap(([name, value]) => [
          name,
          ...Object.keys(isObject(value) && name !== 'metadata' ? value : {}).map((inner) => `${name}.${inner}`),
        ])
        for (const part of [0, 1, 2]) {
          const fields = names.filter((_, index) => index % 3 === part).slice(0, 50)
          expect(await expectSame(`${path}?limit=5&fields=${fields.join()}`, as), path).toHaveLength(rows.length)
          await expectSame(`${path}/${row?.id}?fields=${fields.join()}`, as)
        }
      }
  }, 120_000)

  test('a row that is not kept is read by its id, for every caller', async () => {
    for (const { path } of lists)
      for (const as of callersByPower) {
        const rows = await expectSame(`${path}?limit=50`, as)
        // A change of the content: the next list keeps one row, and the list after it lacks the others.
        await api.database.sql.query('UPDATE school SET updated_at = now()')
        await expectSame(`${path}?limit=1`, as)
        await expectSame(`${path}?limit=50`, as)
        expect(rows.length, path).toBeGreaterThan(1)
      }
  }, 120_000)

  test('after each change that a row shows, nobody reads the text from before it', async () => {
    const rowsOf = async (name: string, as = owner) =>
      (await api.get(`/api/v1/${name}?limit=50`, { as })).json.data as Record<string, unknown>[]
    const send = async (method: string, path: string, body: unknown = {}, as = owner) => {
      const reply = await api.send(`/api/v1/${path}`, { method, as, body })
      expect(reply.status, `${method} ${path}: ${reply.text}`).toBeLessThan(300)
      return reply.json
    }
    const shown = (await rowsOf('courses')).filter(({ status }) => status === 'published')
    const course = shown.find(({ lecturers, included_in_plans }) => (lecturers as []).length > 0 && (included_in_plans as []).length > 0)
    const [lecturer] = (course?.lecturers ?? []) as { id: string }[]
    const [plan] = (course?.included_in_plans ?? []) as { id: string }[]
    const starts = new Date(Date.now() + 86_400_000)
    const event = await send('POST', 'events', {
      ...{
        title: 'Offener Abend',
        kind: 'online',
        join_url: 'https://meet.example.com/a',
        access: 'public',
        starts_at: starts,
        ends_at: new Date(starts.getTime() + 3_600_000),
      },
    })
    await send('POST', `events/${event.id}/publish`)
    const post = (await rowsOf('posts')).find(({ status }) => status === 'published')
    const [student] = await rowsOf('students')
    const changes: [string, () => Promise<unknown>][] = [
      ['a title', () => send('PATCH', `courses/${course?.id}`, { title: 'Глина с нуля 陶芸' })],
      ['the name of a lecturer of a course', () => send('PATCH', `lecturers/${lecturer?.id}`, { display_name: 'Zoë Müller' })],
      ['the name of a plan that includes a course', () => send('PATCH', `membership_plans/${plan?.id}`, { name: 'अध्ययन' })],
      ['the title of an event', () => send('PATCH', `events/${event.id}`, { title: 'عرض مفتوح' })],
      ['an RSVP', () => send('PUT', `events/${event.id}/rsvps/me`, { status: 'going' }, learner)],
      ['an enrolment', () => send('POST', 'enrollments', { course_id: course?.id, student_id: student?.id })],
      ['the excerpt of a post', () => send('PATCH', `posts/${post?.id}`, { excerpt: 'Neu.' })],
      ['the name of the school', () => send('PATCH', 'school', { name: 'Die neue Schule' })],
      ['whether counts are published', () => send('PATCH', 'school', { settings: { show_counts: true } })],
      ['the status of a course', () => send('POST', `courses/${course?.id}/archive`)],
    ]
    for (const [name, change] of changes) {
      await change().catch((error) => {
        throw new Error(`${name}: ${error}`)
      })
      for (const { path } of lists) for (const as of [undefined, learner, owner]) await expectSame(`${path}?limit=50`, as)
    }
  }, 400_000)

  test('a member that differs between two learners, or between two members of staff, is declared live', async () => {
    const texts = async (resource: Resource, path: string, people: readonly string[]) => {
      for (const [as, other] of [[people[0], people[1]]]) {
        const [one, another] = [await read(path, as), await read(path, other)]
        const [rows, others] = [one.json.data, another.json.data] as Record<string, unknown>[][]
        for (const row of rows ?? []) {
          const twin = others?.find(({ id }) => id === row.id)
          if (!twin || Object.keys(twin).length !== Object.keys(row).length) continue
          const differing = Object.keys(row).filter((name) => JSON.stringify(row[name]) !== JSON.stringify(twin[name]))
          expect(
            differing.filter((name) => !isLive(resource, name, as?.startsWith('learner') ? 'learner' : 'staff')),
            `${path} ${row.id}`,
          ).toEqual([])
        }
      }
    }
    for (const { resource, path } of lists) {
      await texts(resource, `${path}?limit=50`, [learner, 'learner002@example.org'])
      await texts(resource, `${path}?limit=50`, [owner, 'admin1@example.com'])
    }
  })

  /** Returns the text of the subqueries and expressions that select the kept members. */
  async function keptSelections(resource: Resource, email: string | undefined): Promise<string> {
    const { caller } = queryScopeOf({ resource, schoolId: api.school.id, caller: await api.caller(email) })
    return partOf(resource, 'kept', caller)
      .selections.flatMap(({ field, select }) => {
        const query = tables(inSchool(api.database.kysely, api.school.id)).selectFrom(tableOf(resource))
        return query
          .select((rows) => named(select(rows, caller) ?? rows.lit(null), field))
          .compile()
          .sql.split(' from "')
          .slice(0, -1)
      })
      .join(' from "')
  }

  /** Returns the columns whose change is not a change of the content, by table. */
  async function columnsWithoutContent(): Promise<[string, string[]][]> {
    const triggers = await api.database.sql.query<{ name: string; columns: string }>(
      `SELECT relname AS name, encode(tgargs, 'escape') AS columns
         FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid WHERE proname = 'report_content_without'`,
    )
    return triggers.map(({ name, columns }) => [name, columns.split('\\000').slice(0, -1)])
  }

  test('a change of a counter leaves the content of the school as it is, and any other change of the row does not', async () => {
    const versions = createContentVersions({ guard: api.database.facts })
    for (const [table, columns] of await columnsWithoutContent()) {
      const before = await versions.read(api.school.id)
      const changed = await api.database.sql.query(
        `UPDATE ${table} SET ${columns.map((name) => `${name} = ${name} + 1`).join()} RETURNING id`,
      )
      expect(changed.length, table).toBeGreaterThan(0)
      expect(await versions.read(api.school.id), table).toBe(before)
      // One row of many, whose counter changes at the same time.
      await api.database.sql.query(
        `UPDATE ${table} SET ${columns[0]} = ${columns[0]} + 1, version = version + CASE WHEN id = (SELECT id FROM ${table} LIMIT 1) THEN 1 ELSE 0 END`,
      )
      expect(await versions.read(api.school.id), table).not.toBe(before)
    }
    for (const { path } of lists) for (const as of callersByPower) await expectSame(`${path}?limit=50`, as)
  })

  test('the triggers leave out only counters, and no kept member shows one', async () => {
    const excluded = await columnsWithoutContent()
    expect(excluded.length).toBeGreaterThan(0)
    for (const [table, columns] of excluded) expect(counters[table], table).toEqual(expect.arrayContaining(columns))
    const all = excluded.flatMap(([, columns]) => columns)
    for (const resource of kept)
      for (const email of [undefined, learner, owner]) {
        const caller = await api.caller(email)
        const isKept = (field: string): boolean => !isLive(resource, field, audienceOf(caller))
        const derived = resource.derivations.filter(({ field }) => isKept(field)).flatMap(({ from }) => from)
        const shown = [...derived, ...Object.keys(resource.schema.shape).filter(isKept)]
        const selections = await keptSelections(resource, email)
        expect(
          all.filter((column) => shown.includes(column) || selections.includes(`"${column}"`)),
          `${resource.name} as ${email}`,
        ).toEqual([])
      }
  })

  test('the kept members of a row are read only from tables that report their changes', async () => {
    const watched = new Set(
      (
        await api.database.sql.query<{ name: string }>(
          `SELECT DISTINCT relname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid JOIN pg_proc ON pg_proc.oid = tgfoid
            WHERE proname LIKE 'report_content%'`,
        )
      ).map(({ name }) => name),
    )
    for (const resource of kept)
      for (const email of [undefined, learner, owner]) {
        const sql = await keptSelections(resource, email)
        const names = [...sql.matchAll(/\b(?:from|join)\s+(?:lateral\s+)?"(\w+)"/gi)].map(([, name = '']) => name)
        expect(
          names.filter((name) => !watched.has(name)),
          `${resource.name} as ${email}`,
        ).toEqual([])
      }
  })
})
