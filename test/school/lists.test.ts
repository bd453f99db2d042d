import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, toPublicId } from '../../src/base/ids.ts'
import type { OperationOf } from '../../src/engine/declare/operations.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { newComment, newEvent, newForm, newPost, newRsvps, newSubmission } from '../support/community.ts'
import { databasesToTest } from '../support/databases.ts'
import { newFile } from '../support/files.ts'
import { newCertificates, newEnrollments } from '../support/learners.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { copyRow } from '../support/rows.ts'
import { newOrder, newPerson, newProduct, newProductGrant, newUses } from '../support/shop.ts'
import { type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

interface Page {
  data: { slug: string; id: string; [field: string]: unknown }[]
  page: { next_cursor: string | null; prev_cursor: string | null; has_more: boolean }
}
const pageOf = ({ json }: Reply): Page => json as unknown as Page
const slugs = (reply: Reply): string[] => pageOf(reply).data.map(({ slug }) => slug)
const nextLink = ({ headers }: Reply): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

describe.each(await databasesToTest())('lists on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
  })
  afterAll(() => api.stop())

  const owner = 'owner@example.com'
  const sorts = ['position', 'created_at', 'title', 'published_at', 'updated_at'].flatMap((sort) => [sort, `-${sort}`])

  test.each(sorts)('walking by cursors in the order %s meets every row once, nullable values included', async (sort) => {
    const whole = slugs(await api.get(`/api/v1/courses?sort=${sort}&limit=100`, { as: owner }))
    expect(whole).toHaveLength(14)
    const walked: string[] = []
    let path: string | undefined = `/api/v1/courses?sort=${sort}&limit=3`
    while (path !== undefined) {
      const reply: Reply = await api.get(path, { as: owner })
      expect(reply.status).toBe(200)
      expect(nextLink(reply) !== undefined).toBe(pageOf(reply).page.has_more)
      walked.push(...slugs(reply))
      path = nextLink(reply)?.slice(api.school.issuer.length)
    }
    expect(walked).toEqual(whole)
  })

  test('a last page that is exactly full has no next page, forwards and backwards', async () => {
    const whole = await api.get('/api/v1/courses?sort=title&limit=14', { as: owner })
    expect([slugs(whole).length, pageOf(whole).page, nextLink(whole)]).toEqual([
      14,
      { limit: 14, has_more: false, next_cursor: null, prev_cursor: null },
      undefined,
    ])
    const first = await api.get('/api/v1/courses?sort=title&limit=7', { as: owner })
    expect(pageOf(first).page.has_more).toBe(true)
    const second = await api.get(`/api/v1/courses?sort=title&limit=7&cursor=${pageOf(first).page.next_cursor}`, { as: owner })
    expect([slugs(second).length, pageOf(second).page.has_more, pageOf(second).page.next_cursor]).toEqual([7, false, null])
    const back = await api.get(`/api/v1/courses?sort=title&limit=7&cursor=${pageOf(second).page.prev_cursor}`, { as: owner })
    expect([slugs(back), pageOf(back).page.prev_cursor, pageOf(back).page.has_more]).toEqual([slugs(first), null, true])
    const forth = await api.get(`/api/v1/courses?sort=title&limit=7&cursor=${pageOf(back).page.next_cursor}`, { as: owner })
    expect(slugs(forth)).toEqual(slugs(second))
  })

  test('the two directions of an order are each other backwards', async () => {
    for (const sort of sorts.filter((name) => !name.startsWith('-'))) {
      const [up, down] = await Promise.all([sort, `-${sort}`].map((name) => api.get(`/api/v1/courses?sort=${name}`, { as: owner })))
      expect(slugs(up as Reply)).toEqual(slugs(down as Reply).toReversed())
    }
  })

  test('visitors get the order of the catalogue, staff the newest first', async () => {
    expect(slugs(await api.get('/api/v1/courses?limit=1'))).toEqual(['clay-from-scratch'])
    expect(slugs(await api.get('/api/v1/courses?limit=1', { as: owner }))).toEqual(['candle-season'])
  })

  test('a cursor skips and repeats nothing when a row appears before it', async () => {
    const first = await api.get('/api/v1/courses?sort=title&limit=4', { as: owner })
    const others = slugs(await api.get('/api/v1/courses?sort=title&limit=100', { as: owner })).slice(4)
    await api.database.sql.query(
      `INSERT INTO course (school_id, id, slug, title, language) VALUES ($1, gen_random_uuid(), 'aaa', 'Aaa', 'en')`,
      [api.school.id],
    )
    const rest = await api.get(`/api/v1/courses?sort=title&limit=100&cursor=${pageOf(first).page.next_cursor}`, { as: owner })
    await api.database.sql.query(`DELETE FROM course WHERE school_id = $1 AND slug = 'aaa'`, [api.school.id])
    expect(slugs(rest)).toEqual(others)
  })

  test('a cursor belongs to its filters, its sort and its audience', async () => {
    const cursor = pageOf(await api.get('/api/v1/courses?sort=title&limit=2&access=paid')).page.next_cursor
    expect((await api.get(`/api/v1/courses?sort=title&limit=5&access=paid&cursor=${cursor}`)).status).toBe(200)
    for (const [path, as] of [
      [`/api/v1/courses?sort=-title&access=paid&cursor=${cursor}`],
      [`/api/v1/courses?sort=title&cursor=${cursor}`],
      [`/api/v1/courses?sort=title&access=free&cursor=${cursor}`],
      [`/api/v1/courses?sort=title&access=paid&level=all&cursor=${cursor}`],
      [`/api/v1/courses?sort=title&access=paid&cursor=${cursor}`, owner],
    ] as const) {
      expect(await api.get(path, { as })).toMatchObject({ status: 400, json: { error: 'invalid_cursor' } })
    }
  })

  test('a cursor that was tampered with or made up is refused', async () => {
    const cursor = pageOf(await api.get('/api/v1/courses?limit=2')).page.next_cursor as string
    const [payload, signature] = cursor.split('.') as [string, string]
    const forged = Buffer.from(Buffer.from(payload, 'base64url').toString().replace(/,\d+,/, ',0,')).toString('base64url')
    expect(forged).not.toBe(payload)
    for (const text of [
      `${forged}.${signature}`,
      payload,
      `${payload}.`,
      `.${signature}`,
      `${cursor}.x`,
      'x',
      `${payload}.${signature.slice(1)}`,
      'a'.repeat(5000),
    ]) {
      const reply = await api.get(`/api/v1/courses?limit=2&cursor=${text}`)
      expect([text.slice(0, 60), reply.status]).toEqual([text.slice(0, 60), 400])
    }
  })

  test('a cursor of another school is rejected, although the key is the same', async () => {
    const cursor = pageOf(await api.get('/api/v1/courses?limit=2')).page.next_cursor as string
    const other = await startDemoApi({ database: api.database, drop: async () => {} })
    expect(await other.get(`/api/v1/courses?limit=2&cursor=${cursor}`)).toMatchObject({ status: 400, json: { error: 'invalid_cursor' } })
    await other.stop()
  })

  test.each([
    ['access=free', ['workshop-safety']],
    ['access=free,plan_only', ['make-one-chair', 'workshop-safety']],
    ['tag=clay', ['clay-from-scratch', 'glaze-chemistry-without-fear']],
    ['tag=bread,chair', ['the-slow-loaf', 'make-one-chair']],
    ['level=beginner&category=textiles', ['indigo-and-madder']],
    ['price[lte]=5900', ['the-slow-loaf', 'drawing-weeds', 'mending-as-design']],
    ['status=draft', []],
    ['category=a%27%20OR%201=1', []],
  ])('?%s finds what it names', async (query, expected) => {
    const reply = await api.get(`/api/v1/courses?${query}`)
    expect([reply.status, slugs(reply)]).toEqual([200, expected])
  })

  test('a range of times finds what lies in it, its beginning included and its end not, in whatever zone it is written', async () => {
    const { published_at } = (await api.get('/api/v1/courses/mending-as-design')).json as { published_at: string }
    const inBerlin = new Date(Date.parse(published_at) + 7_200_000).toISOString().replace('Z', '%2B02:00')
    const found = async (query: string) => slugs(await api.get(`/api/v1/courses?${query}`))
    expect(await found(`published_at[gte]=${inBerlin}&published_at[lte]=${published_at}`)).toEqual(['mending-as-design'])
    expect(await found(`published_at[gte]=${published_at}&published_at[lt]=${inBerlin}`)).toEqual([])
    // A plus in a query means a space, and no time contains one.
    const unencoded = decodeURIComponent(inBerlin)
    expect(await found(`published_at[gte]=${unencoded}&published_at[lte]=${published_at}`)).toEqual(['mending-as-design'])
  })

  test('a lecturer is found by id, and a hidden one by staff alone', async () => {
    const [tansy] = (pageOf(await api.get('/api/v1/courses?category=textiles')).data[0]?.lecturers ?? []) as { id: string }[]
    expect(slugs(await api.get(`/api/v1/courses?lecturer_id=${tansy?.id}`))).toEqual([
      'indigo-and-madder',
      'drawing-weeds',
      'mending-as-design',
    ])
    const weeds = (await api.get('/api/v1/courses/drawing-weeds', { as: owner })).json.lecturers as { id: string; slug: string }[]
    expect(weeds.map(({ slug }) => slug)).toEqual(['pim-hollowell', 'tansy-brightwater'])
    const asVisitor = (await api.get('/api/v1/courses/drawing-weeds')).json.lecturers as { slug: string }[]
    expect(asVisitor.map(({ slug }) => slug)).toEqual(['tansy-brightwater'])
    expect(slugs(await api.get(`/api/v1/courses?lecturer_id=${weeds[0]?.id}`))).toEqual([])
    expect(slugs(await api.get(`/api/v1/courses?lecturer_id=${weeds[0]?.id}`, { as: owner }))).toEqual(['drawing-weeds'])
  })

  test('each audience sees its rows, in its view', async () => {
    const all = async (as?: string) => pageOf(await api.get('/api/v1/courses?limit=100', { as })).data
    const [visitor, learner, lecturer, staff] = await Promise.all([
      all(),
      all('learner001@example.org'),
      all('lecturer3@example.com'),
      all(owner),
    ])
    expect([visitor.length, learner.length, lecturer.length, staff.length]).toEqual([10, 11, 12, 14])
    expect(visitor.every((course) => course.status === 'published' && course.visibility === 'public')).toBe(true)
    // Staff members are shown; `position` is a field of their view.
    const shown = (rows: Page['data']) => rows.filter((course) => 'position' in course).map(({ slug }) => slug)
    expect([shown(visitor), shown(learner), shown(staff).length]).toEqual([[], [], 14])
    expect(shown(lecturer).toSorted()).toEqual([
      'bookbinding-five-structures',
      'mending-as-design',
      'paper-marbling',
      'studio-business-basics',
    ])
  })

  test('an unlisted course is in no list and is found by its exact slug or id', async () => {
    const bySlug = await api.get('/api/v1/courses/kiln-diary')
    expect(bySlug.status).toBe(200)
    expect((await api.get(`/api/v1/courses/${bySlug.json.id}`)).json).toEqual(bySlug.json)
    for (const as of [undefined, 'learner001@example.org'])
      expect(slugs(await api.get('/api/v1/courses?limit=100', { as }))).not.toContain('kiln-diary')
    expect((await api.get('/api/v1/courses/studio-business-basics')).status).toBe(404)
    expect((await api.get('/api/v1/courses/studio-business-basics', { as: 'learner001@example.org' })).status).toBe(200)
  })
})

const everyList = operationsIn(resources).filter((operation): operation is OperationOf<'list'> => operation.kind === 'list')

describe.each(await databasesToTest())('every list on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    const { sql } = api.database
    for (let count = 0; count < 8; count++) {
      await newFile(sql, api.school.id)
      const plan = await newPlan(sql, api.school.id)
      await newSubscription(sql, api.school.id, { ...plan, personId: await newPerson(sql, api.school.id) })
    }
    for (let count = 0; count < 6; count++) await newEvent(sql, api.school.id)
    const product = await newProduct(sql, api.school.id)
    await newUses(sql, api.school.id, 8)
    for (let count = 0; count < 6; count++) {
      await newProduct(sql, api.school.id)
      await newProductGrant(sql, api.school.id, product, await newPerson(sql, api.school.id))
    }
    for (let count = 0; count < 8; count++) await newOrder(sql, api.school.id)
    for (let count = 0; count < 6; count++) await newPost(sql, api.school.id, { visibility: count % 2 ? 'public' : 'paid' })
    const [first] = await sql.query<{ id: string }>('SELECT id FROM event WHERE school_id = $1 ORDER BY id LIMIT 1', [api.school.id])
    await newRsvps(sql, api.school.id, first?.id as string, 6)
    for (let count = 0; count < 5; count++) await newForm(sql, api.school.id)
    for (const type of ['post', 'lesson', 'event', 'form'] as const) {
      const [row] = await sql.query<{ id: string }>(`SELECT id FROM ${type} WHERE school_id = $1 ORDER BY id LIMIT 1`, [api.school.id])
      const id = row?.id as string
      for (let count = 0; count < 6; count++)
        await (type === 'form' ? newSubmission(sql, api.school.id, id) : newComment(sql, api.school.id, { type, id }))
    }
    // One person's all: a list under any row is long enough to be walked.
    await sql.query(
      `INSERT INTO course_lecturer (school_id, course_id, lecturer_id)
       SELECT school_id, id, (SELECT id FROM lecturer WHERE school_id = $1 ORDER BY id LIMIT 1) FROM course WHERE school_id = $1
       ON CONFLICT DO NOTHING`,
      [api.school.id],
    )
    const leading = async (table: string, limit: number): Promise<string[]> => {
      const which = table === 'person' ? 'AND is_student' : ''
      const rows = await sql.query<{ id: string }>(`SELECT id FROM ${table} WHERE school_id = $1 ${which} ORDER BY id LIMIT ${limit}`, [
        api.school.id,
      ])
      return rows.map(({ id }) => id)
    }
    await newEnrollments(sql, api.school.id, await leading('person', 6), await leading('course', 1))
    await newEnrollments(sql, api.school.id, await leading('person', 1), await leading('course', 6))
    await newCertificates(sql, api.school.id)
    await sql.query(
      `INSERT INTO quiz_attempt (school_id, id, enrollment_id, lesson_id, person_id, attempt_no, score_bps, passed, answers)
       SELECT e.school_id, gen_random_uuid(), e.id, l.id, e.person_id, 90 + number, 0, false, '[]'
       FROM (SELECT * FROM enrollment WHERE school_id = $1 ORDER BY id LIMIT 1) e,
         (SELECT id FROM lesson WHERE school_id = $1 ORDER BY id LIMIT 1) l, generate_series(1, 6) AS number`,
      [api.school.id],
    )
  })
  afterAll(() => api.stop())

  const idsOf = (reply: Reply): string[] => pageOf(reply).data.map(({ id }) => id)

  async function addressOf({ path, parent }: OperationOf<'list'>): Promise<string> {
    if (!parent) return path
    const [row] = await api.database.sql.query<{ id: string }>(
      `SELECT id FROM "${parent.resource.table}" WHERE school_id = $1 ${parent.resource.name === 'students' ? 'AND is_student' : ''} ORDER BY id LIMIT 1`,
      [api.school.id],
    )
    return path.replace(/\{\w+\}/, toPublicId(parent.resource.idPrefix, row?.id as string))
  }

  test.each(everyList)('$id meets every row once in every order, whatever is added on the way', async (list) => {
    const { table, sorts } = list.resource
    const address = await addressOf(list)
    for (const sort of sorts) {
      const whole = idsOf(await api.get(`${address}?sort=${sort.name}&limit=100`, { as: 'owner@example.com' }))
      expect(whole.length).toBeGreaterThan(4)
      const walked: string[] = []
      const added: string[] = []
      let path: string | undefined = `${address}?sort=${sort.name}&limit=${Math.ceil(whole.length / 4)}`
      while (path !== undefined) {
        const reply: Reply = await api.get(path, { as: 'owner@example.com' })
        expect([sort.name, reply.status]).toEqual([sort.name, 200])
        walked.push(...idsOf(reply))
        path = nextLink(reply)?.slice(api.school.issuer.length)
        // Before the place, at it and behind it. What is added behind it may be met, once.
        const places = [whole[0], walked.at(-1), whole.at(-1)] as string[]
        if (added.length < 9) {
          for (const id of places)
            added.push(
              await copyRow(api.database.sql, table, { schoolId: api.school.id, id: fromPublicId(list.resource.idPrefix, id) as string }),
            )
        }
      }
      if (table === 'course') await api.database.sql.query('DELETE FROM course_lecturer WHERE course_id = ANY($1::uuid[])', [added])
      await api.database.sql.query(`DELETE FROM "${table}" WHERE school_id = $1 AND id = ANY($2::uuid[])`, [api.school.id, added])
      const known = new Set(whole)
      expect([sort.name, walked.filter((id) => known.has(id))]).toEqual([sort.name, whole])
      expect([sort.name, new Set(walked).size]).toEqual([sort.name, walked.length])
    }
  })
})
