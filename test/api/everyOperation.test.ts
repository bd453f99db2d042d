import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { demoId } from '../../src/demo/ids.ts'
import { teamCount } from '../../src/demo/school.ts'
import type { Operation, OperationOf } from '../../src/framework/declare/operations.ts'
import { narrowed, type View } from '../../src/framework/declare/views.ts'
import { newId, toPublicId } from '../../src/lib/ids.ts'
import { audienceOf } from '../../src/policy/caller.ts'
import { operationsIn, resources } from '../../src/resources/index.ts'
import { newComment, newEvent, newForm, newPost, newRsvps, newSubmission } from '../support/community.ts'
import { everyDatabase } from '../support/databases.ts'
import { newPlan, newSubscription } from '../support/memberships.ts'
import { newOrder, newProduct, newUses } from '../support/shop.ts'
import { allScopes, type DemoApi, type Reply, startDemoApi } from './demoApi.ts'

const all = operationsIn(resources)
const operations = all.filter(({ method }) => method === 'GET')
const people = [undefined, 'learner001@example.org', 'lecturer1@example.com', 'admin1@example.com', 'owner@example.com']

/** A row that the anonymous caller sees, and one that neither anonymous callers nor learners do. */
type KeyOf = (schoolId: string) => string
const always =
  (slug: string): KeyOf =>
  () =>
    slug
const demoRow =
  (kind: string, prefix: string, index: number): KeyOf =>
  (schoolId) =>
    toPublicId(prefix, demoId(schoolId, kind, index))
/** The learner of this number. */
const studentId = (schoolId: string, index: number, prefix = 'std'): string =>
  toPublicId(prefix, demoId(schoolId, 'person', teamCount + index))
/** Ids of rows that are made where the tests begin. */
const idsBySlug = new Map<string, string>()
const rowCalled =
  (prefix: string, slug: string): KeyOf =>
  () =>
    toPublicId(prefix, idsBySlug.get(slug) as string)
const seen: Record<string, KeyOf> = {
  getCourse: always('clay-from-scratch'),
  getCurriculum: always('clay-from-scratch'),
  getSection: demoRow('section', 'sec', 0),
  getLesson: demoRow('lesson', 'les', 1),
  getPage: always('about'),
  listPageRevisions: demoRow('page', 'pag', 1),
  analyticsFunnel: demoRow('course', 'crs', 0),
  getLecturer: always('marlo-quillfeather'),
  listLecturerCourses: always('marlo-quillfeather'),
  getPlan: always('bench-for-all'),
  getOrder: () => toPublicId('ord', idsBySlug.get('an-order') as string),
  listOrderItems: () => toPublicId('ord', idsBySlug.get('an-order') as string),
  listOrderRefunds: () => toPublicId('ord', idsBySlug.get('an-order') as string),
  getReceipt: () => toPublicId('ord', idsBySlug.get('an-order') as string),
  getCoupon: () => toPublicId('cpn', idsBySlug.get('used-coupon') as string),
  listCouponRedemptionsOf: () => toPublicId('cpn', idsBySlug.get('used-coupon') as string),

  getSubscription: demoRow('subscription', 'sub', 9000),
  getStaff: demoRow('staff', 'stf', 0),
  getStudent: (schoolId) => studentId(schoolId, 0),
  exportStudent: (schoolId) => studentId(schoolId, 0),
  getMember: (schoolId) => studentId(schoolId, 0, 'mbr'),
  listStudentEnrollments: (schoolId) => studentId(schoolId, 0),
  listCourseEnrollments: demoRow('course', 'crs', 0),
  getEnrollment: rowCalled('enr', 'enrolled'),
  getProgress: rowCalled('enr', 'enrolled'),
  verifyCertificate: always('7QW3KD9XHM2TB5ZE'),
  getFile: demoRow('file', 'fil', 0),
  getUpload: demoRow('upload', 'upl', 0),
  getDigitalProduct: always('kiln-log'),
  listProductGrants: rowCalled('dgp', 'kiln-log'),
  getEvent: always('glaze-evening'),
  getPost: always('first-firing'),
  getComment: rowCalled('cmt', 'comment'),
  listPostComments: rowCalled('pst', 'post'),
  listEventComments: rowCalled('evt', 'glaze-evening'),
  listLessonComments: demoRow('lesson', 'les', 1),
  getForm: always('ask-us'),
  getFormSummary: rowCalled('frm', 'ask-us'),
  listFormSubmissionsOf: rowCalled('frm', 'ask-us'),
  getFormSubmission: rowCalled('fsb', 'submission'),
  listRsvps: rowCalled('evt', 'glaze-evening'),
}
const unseen: Record<string, KeyOf> = {
  getCourse: always('paper-marbling'),
  getCurriculum: always('paper-marbling'),
  getSection: demoRow('section', 'sec', 52),
  getLesson: demoRow('lesson', 'les', 225),
  getPage: always('autumn-fair'),
  getLecturer: always('pim-hollowell'),
  listLecturerCourses: always('pim-hollowell'),
  getPlan: always('bench-for-few'),
  getStudent: (schoolId) => studentId(schoolId, 1),
  getDigitalProduct: always('kiln-log-draft'),
  getEvent: always('glaze-draft'),
  exportStudent: (schoolId) => studentId(schoolId, 1),
  getMember: (schoolId) => studentId(schoolId, 2, 'mbr'),
  getPost: always('second-firing'),
  getForm: always('ask-nobody'),
}
/** Rows that only their own person and staff see. */
const ofOneself = new Set([
  'getStudent',
  'exportStudent',
  'listCouponRedemptionsOf',
  'getEnrollment',
  'getProgress',
  'listStudentEnrollments',
  'getOrder',
  'listOrderItems',
  'listOrderRefunds',
  'getReceipt',
  'getStaff',
  'getUpload',
  'getFile',
  'getSubscription',
])
const form = ({ path }: Operation): string => path.replace(/\{\w+\}/g, '{}')
const unusedMethod = (operation: Operation): string =>
  ['PUT', 'DELETE', 'PATCH'].find((method) => !all.some((other) => other.method === method && form(other) === form(operation))) as string
const isForStaff = (operation: Operation): boolean => operation.kind === 'read' && operation.rules.view === 'staff'
/** For who sees more of a row than everybody does. */
const isOfOwn = (operation: Operation): boolean => operation.kind === 'read' && operation.rules.view === 'own'
const answersRows = ({ kind }: Operation): boolean => kind === 'list' || kind === 'get'
const rowsOf = ({ json }: Reply): object[] => (json.object === 'list' ? (json.data as object[]) : [json])

describe.each(await everyDatabase())('on $name', ({ open }) => {
  let api: DemoApi
  beforeAll(async () => {
    api = await startDemoApi(await open())
    const { id: schoolId } = api.school
    const plan = await newPlan(api.database.sql, schoolId, { slug: 'bench-for-all' })
    await newSubscription(api.database.sql, schoolId, {
      ...plan,
      id: demoId(schoolId, 'subscription', 9000),
      personId: demoId(schoolId, 'person', 0),
    })
    await api.database.sql.query(`UPDATE school SET settings = settings || '{"member_directory":"public"}' WHERE id = $1`, [schoolId])
    await api.database.sql.query('UPDATE person SET directory_visible = false WHERE school_id = $1 AND id = $2', [
      schoolId,
      demoId(schoolId, 'person', teamCount + 2),
    ])
    await newPlan(api.database.sql, schoolId, { slug: 'bench-for-few', visibility: 'hidden' })
    for (const [slug, status] of [
      ['glaze-evening', 'published'],
      ['glaze-draft', 'draft'],
    ] as const)
      idsBySlug.set(slug, await newEvent(api.database.sql, schoolId, { slug, status }))
    for (const [slug, status] of [
      ['kiln-log', 'published'],
      ['kiln-log-draft', 'draft'],
    ] as const)
      idsBySlug.set(slug, await newProduct(api.database.sql, schoolId, { slug, status }))
    await newPost(api.database.sql, schoolId, { slug: 'first-firing', visibility: 'members' })
    const post = await newPost(api.database.sql, schoolId)
    idsBySlug.set('post', post)
    idsBySlug.set('comment', await newComment(api.database.sql, schoolId, { type: 'post', id: post }))
    const form = await newForm(api.database.sql, schoolId, { slug: 'ask-us' })
    idsBySlug.set('ask-us', form)
    idsBySlug.set('submission', await newSubmission(api.database.sql, schoolId, form))
    await newForm(api.database.sql, schoolId, { slug: 'ask-nobody', status: 'draft' })
    await newPost(api.database.sql, schoolId, { slug: 'second-firing', status: 'scheduled', due: '1 day' })
    await newRsvps(api.database.sql, schoolId, idsBySlug.get('glaze-evening') as string, 2)
    idsBySlug.set('an-order', await newOrder(api.database.sql, schoolId))
    idsBySlug.set('used-coupon', await newUses(api.database.sql, schoolId, 2))
    const [enrollment] = await api.database.sql.query<{ id: string }>(
      `INSERT INTO enrollment (school_id, id, person_id, course_id, source, status, completed_at, certificate_number, certificate_issued_at)
       VALUES ($1, $2, $3, $4, 'manual', 'completed', now(), '7QW3KD9XHM2TB5ZE', now())
       ON CONFLICT (school_id, course_id, person_id)
       DO UPDATE SET certificate_number = '7QW3KD9XHM2TB5ZE', certificate_issued_at = now(), completed_at = now() RETURNING id`,
      [schoolId, newId(), demoId(schoolId, 'person', teamCount), demoId(schoolId, 'course', 0)],
    )
    idsBySlug.set('enrolled', enrollment?.id as string)
    const [file, upload] = [demoId(schoolId, 'file', 0), demoId(schoolId, 'upload', 0)]
    await api.database.sql.query(
      `INSERT INTO file (school_id, id, filename, content_type, bytes, purpose, visibility, status, storage_key, uploaded_by)
       VALUES ($1, $2, 'jug.png', 'image/png', 10, 'image', 'public', 'pending', 'jug', $3) ON CONFLICT DO NOTHING`,
      [schoolId, file, demoId(schoolId, 'account', 0)],
    )
    await api.database.sql.query(`INSERT INTO upload (school_id, id, file_id, expires_at) VALUES ($1, $2, $3, now() + interval '1 hour')`, [
      schoolId,
      upload,
      file,
    ])
  })
  afterAll(() => api.stop())

  const addressOf = ({ id, path }: Operation, rows = seen): string => path.replace(/\{\w+\}/, (rows[id] ?? seen[id])?.(api.school.id) ?? '')

  describe.each(operations)('$id', (operation) => {
    const { scope, anonymous, resource } = operation

    test('serves or refuses a caller without a token, and never challenges', async () => {
      const reply = await api.get(addressOf(operation))
      expect(reply.headers.get('www-authenticate')).toBeNull()
      expect(reply.headers.get('link')).toContain(
        `<${api.school.issuer}/.well-known/oauth-protected-resource>; rel="oauth-protected-resource"`,
      )
      if (anonymous === 'none') {
        expect(reply).toMatchObject({
          status: 403,
          json: { error: 'access_denied', details: [{ code: 'scope_needed', meta: { required_scope: scope } }] },
        })
      } else {
        expect(reply.status).toBe(200)
      }
    })

    test(`refuses a token without ${scope} and names it in the challenge (RFC 6750 section 3.1)`, async () => {
      const others = allScopes.filter((name) => name !== scope)
      const reply = await api.get(addressOf(operation), { as: 'owner@example.com', scopes: others })
      expect(reply).toMatchObject({ status: 403, json: { error: 'insufficient_scope' } })
      expect(reply.headers.get('www-authenticate')).toMatch(new RegExp(`^Bearer .*error="insufficient_scope".*scope="${scope}"`))
    })

    test('asks for the scope before it looks at anything else', async () => {
      const options = { as: 'owner@example.com', scopes: ['openid'] }
      for (const query of ['no_such=1', 'limit=1&limit=2', 'id_or_slug=x']) {
        expect((await api.get(`${addressOf(operation, unseen)}?${query}`, options)).json.error).toBe('insufficient_scope')
      }
    })

    test('refuses an unknown parameter by name, before it looks for a row', async () => {
      const reply = await api.get(`${addressOf(operation, unseen)}?no_such=1`, { as: 'owner@example.com' })
      expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_parameter', details: [{ field: 'no_such' }] } })
    })

    test('answers nothing that the schema of the view does not name, and all that it names', async () => {
      for (const as of people) {
        const reply = await api.get(addressOf(operation), { as })
        if (as === undefined && anonymous === 'none') continue
        if ((isForStaff(operation) && !/^(admin|owner)/.test(as ?? '')) || !operation.roles.includes(audienceOf(await api.caller(as)))) {
          expect(reply).toMatchObject({ status: 403, json: { error: 'access_denied' } })
          continue
        }
        if (ofOneself.has(operation.id) && as !== 'owner@example.com' && reply.status === 404) continue
        // A lecturer has a row of their own, or one of who learns from them, and sees this one as everybody does.
        if (isOfOwn(operation) && as?.startsWith('lecturer') && reply.json.error === 'access_denied') continue
        expect(reply.status).toBe(200)
        const ofVisitors: View[] = resource.views.open ? ['public', 'own'] : ['public']
        const views: View[] = as === undefined ? ofVisitors : as.startsWith('learner') ? ['public', 'own'] : ['public', 'own', 'staff']
        if (!answersRows(operation)) {
          const { output } = operation as OperationOf<'read' | 'collectionRead'>
          expect(views.some((view) => narrowed(output, view).safeParse(reply.json).success)).toBe(true)
          continue
        }
        for (const row of rowsOf(reply)) {
          expect(views.some((view) => resource.schemas[view].safeParse(row).success)).toBe(true)
        }
      }
    })

    test('gives the rows the ids of their kind', async () => {
      const reply = await api.get(addressOf(operation), { as: 'owner@example.com' })
      for (const row of answersRows(operation) ? rowsOf(reply) : [])
        expect(row).toMatchObject({ id: expect.stringMatching(new RegExp(`^${resource.idPrefix}_`)), object: resource.object })
    })

    test('lets anyone keep the public view for half a minute, and what a token opened for nobody else', async () => {
      const asPerson = await api.get(addressOf(operation), { as: 'owner@example.com' })
      expect(asPerson.headers.get('cache-control')).toBe('private, no-cache')
      expect(asPerson.headers.get('vary')).toContain('Authorization')
      expect(asPerson.headers.get('link') ?? '').not.toContain('oauth-protected-resource')
      const reply = await api.get(addressOf(operation))
      expect(reply.headers.get('vary')).toContain('Authorization')
      expect(reply.headers.get('cache-control')).toBe(anonymous === 'none' ? 'no-store' : 'public, max-age=30, stale-while-revalidate=60')
    })

    test('answers 304 to who has it, and HEAD without a body', async () => {
      const options = { as: 'owner@example.com' }
      const first = await api.get(addressOf(operation), options)
      const etag = first.headers.get('etag') as string
      expect(etag).toMatch(['list', 'collectionRead'].includes(operation.kind) ? /^W\/"[0-9a-f]{8}"$/ : /^"\d+-[pos]-[0-9a-f]{8}"$/)
      const again = await api.get(addressOf(operation), { ...options, headers: { 'if-none-match': `"other", ${etag}` } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      const stale = await api.get(addressOf(operation), { ...options, headers: { 'if-none-match': '"1-s-00000000"' } })
      expect(stale.status).toBe(200)
      const head = await api.get(addressOf(operation), { ...options, method: 'HEAD' })
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
    })

    test('refuses other methods and names the right ones, without asking for a token', async () => {
      const reply = await api.get(addressOf(operation), { method: unusedMethod(operation) })
      expect([reply.status, reply.json.error]).toEqual([405, 'method_not_allowed'])
      const allowed = reply.headers.get('allow')
      expect(allowed).toMatch(/^HEAD, GET, .*OPTIONS$/)
      const options = await api.get(addressOf(operation), { method: 'OPTIONS' })
      expect([options.status, options.headers.get('allow')]).toEqual([204, allowed])
    })

    if (!(operation.id in unseen)) return
    const keyed = ('parent' in operation && operation.parent?.resource) || resource
    test('answers 404 for a record the caller may not see, as for none', async () => {
      for (const as of anonymous === 'none' ? ['learner001@example.org'] : [undefined, 'learner001@example.org']) {
        const hidden = await api.get(addressOf(operation, unseen), { as })
        const none = await api.get(addressOf(operation, { [operation.id]: always(toPublicId(keyed.idPrefix, newId())) }), { as })
        expect([hidden.status, none.status, hidden.text]).toEqual([404, 404, none.text])
      }
      expect((await api.get(addressOf(operation, unseen), { as: 'owner@example.com' })).status).toBe(200)
    })
  })

  test('a role that lost its power is refused though the token lives on', async () => {
    const { database, school } = api
    const asAdmin = await api.get('/api/v1/courses/paper-marbling', { as: 'admin2@example.com' })
    expect(asAdmin.status).toBe(200)
    await database.sql.query(
      `UPDATE staff SET status = 'removed' FROM person p
        WHERE staff.school_id = $1 AND p.school_id = $1 AND p.id = staff.person_id AND p.email = 'admin2@example.com'`,
      [school.id],
    )
    expect((await api.get('/api/v1/courses/paper-marbling', { as: 'admin2@example.com' })).status).toBe(404)
  })

  test('an unknown address is told where the addresses stand', async () => {
    for (const path of ['/api/v1', '/api/v1/nothing', '/api/v1/courses/a/b', '/api/v1/Courses', '/api/v1/%E0%A4%A']) {
      expect(await api.get(path)).toMatchObject({ status: 404, json: { error: 'not_found' } })
    }
  })

  test.each([
    ['a wrong prefix', 'acc_01jgwejj00e6srgkpqm2sqf05m'],
    ['an id that is too long', 'crs_01jgwejj00e6srgkpqm2sqf05mm'],
    ['an id above 128 bits', 'crs_81jgwejj00e6srgkpqm2sqf05m'],
    ['capitals', 'Clay-From-Scratch'],
    ['a NUL', 'a%00b'],
    ['broken percent-encoding', '%E0%A4%A'],
    ['a quote', "a'--"],
  ])('%s is no id and no slug: 400, never 500', async (_what, text) => {
    const reply = await api.get(`/api/v1/courses/${text}`, { as: 'owner@example.com' })
    expect(reply.status).toBe(400)
    expect(['invalid_id', 'invalid_parameter']).toContain(reply.json.error)
  })

  test('a parameter that stands twice or in the wrong place is refused', async () => {
    expect((await api.get('/api/v1/courses?level=all&level=beginner')).json).toMatchObject({
      error: 'invalid_parameter',
      details: [{ field: 'level' }],
    })
    expect((await api.get('/api/v1/courses/kiln-diary?id_or_slug=paper-marbling')).json).toMatchObject({
      error: 'invalid_parameter',
      details: [{ field: 'id_or_slug' }],
    })
    expect((await api.get('/api/v1/courses?__proto__=1')).json).toMatchObject({
      error: 'invalid_parameter',
      details: [{ field: '__proto__' }],
    })
  })

  test('who takes no JSON is told so', async () => {
    expect(await api.get('/api/v1/courses', { headers: { accept: 'text/html' } })).toMatchObject({
      status: 406,
      json: { error: 'not_acceptable' },
    })
  })
})
