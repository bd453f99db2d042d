import { beforeAll, expect, test } from 'vitest'
import { fromPublicId, toPublicId, uuidOf } from '../../src/base/ids.ts'
import type { OperationOf } from '../../src/engine/declare/operations.ts'
import type { Parameter } from '../../src/engine/declare/parameters.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { allScopes, createAgent, get, personCalled } from '../support/agent.ts'
import { newComment, newEvent, newForm, newPost, newRsvps, newSubmission } from '../support/community.ts'
import { duringTests } from '../support/duringTests.ts'
import { newFile } from '../support/files.ts'
import { newCertificates, newEnrollments } from '../support/learners.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { copyRow } from '../support/rows.ts'
import { passwordHash, startService } from '../support/service.ts'
import { newOrder, newPerson, newProduct, newProductGrant, newUses } from '../support/shop.ts'
import { type Reply, startDemoApi } from './demoApi.ts'
import { describeDemo } from './describeDemo.ts'

interface Page {
  data: { slug: string; id: string; [field: string]: unknown }[]
  page: { next_cursor: string | null; prev_cursor: string | null; has_more: boolean; total?: { count: number; relation: string } }
}
const pageOf = ({ json }: Reply): Page => json as unknown as Page
const slugs = (reply: Reply): string[] => pageOf(reply).data.map(({ slug }) => slug)
const nextLink = ({ headers }: Reply): string | undefined => /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]

describeDemo('lists on $name', (api) => {
  const owner = 'owner@example.com'
  const sorts = ['position', 'created_at', 'title', 'published_at', 'updated_at'].flatMap((sort) => [sort, `-${sort}`])

  test('fields narrow expanded rows, lists in rows, reports and other reads, and name what they take', async () => {
    const keysOf = (value: unknown): string[] => Object.keys(value as object)
    const lecturers = await api.get('/api/v1/lecturers?limit=1&expand=courses&fields=slug,courses.title', { as: owner })
    expect([lecturers.status, lecturers.json.error_description]).toEqual([200, undefined])
    const [lecturer] = pageOf(lecturers).data
    expect([keysOf(lecturer), lecturer?.courses]).toEqual([
      ['id', 'object', 'slug', 'courses'],
      { data: expect.arrayContaining([{ title: expect.any(String) }]), has_more: false },
    ])
    expect((await api.get('/api/v1/lecturers?expand=courses&fields=courses.titl', { as: owner })).json).toMatchObject({
      error_description: expect.stringContaining('did you mean courses.title? It takes courses.id, '),
    })
    expect((await api.get('/api/v1/enrollments?fields=student.email', { as: owner })).json).toMatchObject({ error: 'invalid_parameter' })
    const report = '/api/v1/analytics/revenue?interval=month&fields=totals.net,series.net.amount,groups.title'
    const { object, groups, ...others } = (await api.get(report, { as: owner })).json
    expect([object, groups, keysOf(others)]).toEqual(['analytics.report', null, ['totals', 'series']])
    expect(others).toMatchObject({ totals: { net: { currency: 'EUR' } } })
    expect((others.series as unknown[])[0]).toEqual({ net: { amount: 0 } })
    expect((await api.get('/api/v1/analytics/revenue?fields=sum', { as: owner })).status).toBe(400)
    expect((await api.get(report, { as: owner, headers: { accept: 'text/csv' } })).status).toBe(400)
  })

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

describeDemo('every list on $name', (api) => {
  beforeAll(async () => {
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

const as = 'owner@example.com'

type Target = NonNullable<Parameter['target']>

/** Every filter by rows that have another key than their id, of every list and report of the whole school. */
const filters = operationsIn(resources).flatMap((one) =>
  one.path.includes('{')
    ? []
    : one.parameters.flatMap(({ name, target }) => (target ? [{ id: one.id, path: one.path, kind: one.kind, name, target }] : [])),
)

describeDemo('filters by id, on $name', (api) => {
  beforeAll(async () => {
    await newForm(api.database.sql, api.school.id, { slug: 'ask-us' })
    await newPlan(api.database.sql, api.school.id)
  })

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

describeDemo('long lists on $name', (api) => {
  beforeAll(async () => {
    await api.database.sql.query(
      `INSERT INTO course (school_id, id, slug, title, language, status, position)
       SELECT $1, gen_random_uuid(), 'made-' || n, CASE n WHEN 1 THEN '=1+1' WHEN 2 THEN '50% of_it, "all"' ELSE 'Course ' || n END, 'en', 'draft', 100 + n
         FROM generate_series(1, 1200) n`,
      [api.school.id],
    )
  })

  test('a page leads back to the page before it', async () => {
    const path = '/api/v1/courses?sort=position&limit=5'
    const first = await api.get(path, { as })
    const second = await api.get(`${path}&cursor=${pageOf(first).page.next_cursor}`, { as })
    const back = await api.get(`${path}&cursor=${pageOf(second).page.prev_cursor}`, { as })
    expect(pageOf(first).page.prev_cursor).toBeNull()
    expect([slugs(back), pageOf(back).page.prev_cursor]).toEqual([slugs(first), null])
    expect(second.headers.get('link')).toContain('rel="prev"')
  })

  test('only staff can request the number of rows', async () => {
    expect(pageOf(await api.get('/api/v1/courses?include=total_count&status=draft', { as })).page.total).toEqual({
      count: 1201,
      relation: 'eq',
    })
    expect((await api.get('/api/v1/courses?include=total_count')).status).toBe(400)
  })

  test('a search finds the text in titles and its words elsewhere, and ignores case', async () => {
    expect(slugs(await api.get('/api/v1/courses?q=CLAY'))).toEqual(['clay-from-scratch', 'glaze-chemistry-without-fear'])
    expect(slugs(await api.get('/api/v1/courses?q=LAY%20FROM'))).toEqual(['clay-from-scratch'])
    expect(slugs(await api.get(`/api/v1/courses?q=${encodeURIComponent('% of_')}`, { as }))).toEqual(['made-2'])
    expect(slugs(await api.get('/api/v1/courses?q=marbling'))).toEqual([])
    expect((await api.get('/api/v1/courses?q=a')).status).toBe(400)
  })

  test('fields narrow the answer, prefixes and absence the list', async () => {
    const reply = await api.get('/api/v1/courses?slug[prefix]=made-119&fields=title,price.amount&limit=1', { as })
    expect(Object.keys(pageOf(reply).data[0] ?? {})).toEqual(['id', 'object', 'title', 'price'])
    expect((await api.get('/api/v1/courses/clay-from-scratch?fields=price.amount')).json).toMatchObject({ price: { amount: 8900 } })
    expect((await api.get('/api/v1/courses/clay-from-scratch?fields=title')).headers.get('etag')).toMatch(/^"\d+-p-/)
    expect((await api.get('/api/v1/courses?fields=titl')).json).toMatchObject({ error: 'invalid_parameter' })
    expect((await api.get('/api/v1/courses?fields=metadata')).status).toBe(400)
    expect(pageOf(await api.get('/api/v1/courses?published_at[exists]=false&include=total_count', { as })).page.total?.count).toBe(1201)
  })

  test('staff get the whole list as a file, harmless in a spreadsheet, and a link where it goes on', async () => {
    const csv = await api.get('/api/v1/courses?sort=position&fields=slug,title,price', { as, headers: { accept: 'text/csv' } })
    const lines = csv.text.split('\r\n')
    expect(csv.headers.get('content-type')).toContain('text/csv')
    expect([lines[0], lines.length]).toEqual(['id,object,title,slug,price.amount,price.currency', 1216])
    expect(lines.find((line) => line.includes('made-1,'))).toContain(",'=1+1,")
    expect(lines.find((line) => line.includes('made-2,'))).toContain(',"50% of_it, ""all""",')
    const part = await api.get('/api/v1/courses?sort=position&limit=700', { as, headers: { accept: 'application/x-ndjson' } })
    const rows = part.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { slug: string })
    const next = /<([^>]+)>; rel="next"/.exec(part.headers.get('link') ?? '')?.[1] ?? ''
    const rest = await api.get(next.slice(api.school.issuer.length), { as, headers: { accept: 'application/x-ndjson' } })
    const all = [
      ...rows,
      ...rest.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { slug: string }),
    ]
    expect([rows.length, all.length, new Set(all.map(({ slug }) => slug)).size]).toEqual([700, 1214, 1214])
    expect((await api.get('/api/v1/courses', { headers: { accept: 'text/csv' } })).status).toBe(406)
  })
})

// Lists under one row of another resource, such as the enrolments of a course, by the resource of their rows.
const lists = [...Map.groupBy(operationsIn(resources), ({ resource }) => resource.name)].flatMap(([name, operations]) => {
  const under = operations.flatMap((one) =>
    one.kind === 'list' && one.parent ? [{ path: one.path, parent: one.parent.resource.name }] : [],
  )
  return under.length > 1 ? [{ name, under }] : []
})

const service = duringTests(() => startService())
let headers: Record<string, string>
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
  const agent = await createAgent(service.issuer)
  const { body } = await agent.tokens(personCalled('owner@example.com'), { scope: allScopes }, { scopes: 'all' })
  headers = { authorization: `Bearer ${body.access_token}` }
})

const idsAt = async (path: string): Promise<string[]> =>
  ((await get(`${service.issuer}${path}`, headers)).body.data ?? []).map(({ id }: { id: string }) => id)

test.each(lists)('$name under rows of one resource do not depend on lists under rows of another', async ({ under }) => {
  const found = new Map<string, number>()
  for (const { path, parent } of under) {
    const [before = '', after = ''] = path.split(/\{[^}]+\}/)
    for (const id of await idsAt(`/api/v1/${parent}?limit=100`.replace(/_?[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)))
      found.set(path, (found.get(path) ?? 0) + (await idsAt(`${before}${id}${after}?limit=100`)).length)
  }
  expect([...found].filter(([, count]) => count === 0)).toEqual([])
  expect(found.size).toBeGreaterThan(1)
})
