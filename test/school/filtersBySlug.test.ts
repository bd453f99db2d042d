import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toPublicId, uuidOf } from '../../src/base/ids.ts'
import type { Parameter } from '../../src/engine/declare/parameters.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newEvent, newForm } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { newPlan } from '../support/memberships.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const as = 'owner@example.com'

type Target = NonNullable<Parameter['target']>

/** Every filter by rows that have another key than their id, of every list and report of the whole school. */
const filters = operationsIn(resources).flatMap((one) =>
  one.path.includes('{')
    ? []
    : one.parameters.flatMap(({ name, target }) => (target ? [{ id: one.id, path: one.path, kind: one.kind, name, target }] : [])),
)

describe.each(await databasesToTest())('filters by id, on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    await newForm(api.database.sql, api.school.id, { slug: 'ask-us' })
    await newPlan(api.database.sql, api.school.id)
  })
  afterAll(() => api.stop())

  const rowsOf = async (target: Target): Promise<Record<string, string>[]> =>
    (await api.get(`/api/v1/${target.path}?limit=5`, { as })).json.data as Record<string, string>[]
  const keyIn = (target: Target, row: Record<string, string>): string => encodeURIComponent(String(row[target.hasSlug ? 'slug' : 'number']))

  test('there are such filters for courses, plans, lecturers and forms, in lists and reports', () => {
    expect(new Set(filters.map(({ target }) => target.name))).toEqual(new Set(['courses', 'membership_plans', 'lecturers', 'forms']))
    expect(new Set(filters.map(({ kind }) => kind))).toEqual(new Set(['list', 'collectionRead']))
  })

  test.each(filters)('$id: $name finds the same by id and by slug, and nothing by the slug of no row', async (filter) => {
    const { path, name, target, kind } = filter
    const rows = await rowsOf(target)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      const byId = await api.get(`${path}?${name}=${row.id}`, { as })
      const byKey = await api.get(`${path}?${name}=${keyIn(target, row)}`, { as })
      expect([byId.status, byKey.status, byKey.json]).toEqual([200, 200, byId.json])
    }
    const unknown = await api.get(`${path}?${name}=no-such-row`, { as })
    const unknownId = await api.get(`${path}?${name}=${target.idPrefix}_00000000000000000000000009`, { as })
    expect([unknown.status, unknown.json]).toEqual([unknownId.status, unknownId.json])
    if (kind === 'list') expect(unknown.json.data).toEqual([])
    const wrong = await api.get(`${path}?${name}=zzz_00000000000000000000000009`, { as })
    expect([wrong.status, wrong.json.error, wrong.text]).toEqual([
      400,
      'invalid_parameter',
      expect.stringContaining(`${target.idPrefix}_ and`),
    ])
  })

  test('a filter takes ids and slugs together, in any spelling', async () => {
    const [first, second] = (await api.get('/api/v1/courses?limit=2')).json.data as { id: string; slug: string }[]
    const byIds = await api.get(`/api/v1/lecturers?course_id=${first?.id},${second?.id}`, { as })
    expect(byIds.json.data).not.toEqual([])
    const mixed = await api.get(`/api/v1/lecturers?course_id=${first?.slug.toUpperCase()},${second?.id},no-such-course`, { as })
    expect([mixed.status, mixed.json.data]).toEqual([200, byIds.json.data])
  })

  test('pages of a list by slug follow each other', async () => {
    const [course] = (await api.get('/api/v1/courses?limit=1&status=published', { as })).json.data as { lecturers: { slug: string }[] }[]
    const list = `/api/v1/courses?limit=1&lecturer_id=${course?.lecturers[0]?.slug}`
    const first = await api.get(list, { as })
    const { next_cursor } = first.json.page as { next_cursor: string }
    const second = await api.get(`${list}&cursor=${next_cursor}`, { as })
    expect([second.status, second.json.data]).toEqual([200, [expect.objectContaining({ object: 'course' })]])
    expect(second.json.data).not.toEqual(first.json.data)
  })

  test('the slug of a row that the caller cannot read finds nothing', async () => {
    const { json: course } = await api.send('/api/v1/courses', { as, body: { title: 'Not announced yet' } })
    const eventId = await newEvent(api.database.sql, api.school.id)
    await api.database.sql.query('UPDATE event SET course_id = $1 WHERE id = $2', [uuidOf('crs', String(course.id)), eventId])
    const found = async (caller?: string) => (await api.get(`/api/v1/events?course_id=${course.slug}`, { as: caller })).json.data
    expect(await found(as)).toEqual([expect.objectContaining({ id: toPublicId('evt', eventId) })])
    expect(await found()).toEqual([])
  })
})
