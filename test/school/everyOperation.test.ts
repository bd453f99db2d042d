// Proves RFC 6750 section 3.1: A missing scope gets 403 `insufficient_scope`, with all scopes of the operation in one challenge

import { beforeAll, describe, expect, test } from 'vitest'
import { audienceOf } from '../../src/base/caller.ts'
import { newId, toPublicId } from '../../src/base/ids.ts'
import { isStreamed, type Operation, type OperationOf } from '../../src/engine/declare/operations.ts'
import { narrowed, type View } from '../../src/engine/declare/views.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { allScopes, type Reply, startDemoApi } from './demoApi.ts'
import { callersByPower, chooseRowsToRead, type RowsToRead, resourceNamed } from './rowsToRead.ts'

const all = operationsIn(resources)
const operations = all.filter(({ method }) => method === 'GET')
const form = ({ path }: Operation): string => path.replace(/\{\w+\}/g, '{}')
const unusedMethod = (operation: Operation): string =>
  ['PUT', 'DELETE', 'PATCH'].find((method) => !all.some((other) => other.method === method && form(other) === form(operation))) as string
/** True if the operation is for the school's staff alone, and not for the lecturers of the row. */
const isForStaff = (operation: Operation): boolean =>
  operation.kind === 'read' && operation.rules.view === 'staff' && operation.resource.views.staff === undefined
/** True if the operation is for people who see more of a row than visitors do. */
const isOfOwn = (operation: Operation): boolean =>
  operation.kind === 'read' && (operation.rules.view === 'own' || (operation.rules.view === 'staff' && !isForStaff(operation)))
/** They need the authorization of an app: see `appContract.test.ts` and `proposals.test.ts`. */
const ofApps = ['getCurrentAuthorization', 'getProposal']
const answersRows = ({ kind }: Operation): boolean => kind === 'list' || kind === 'get'
const rowsOf = ({ json }: Reply): object[] => (json.object === 'list' ? (json.data as object[]) : [json])

describe.each(await databasesToTest())('on $name', ({ open }) => {
  const api = duringTests(async () => startDemoApi(await open(), all, undefined, { isWhole: true }))
  let rows: RowsToRead
  beforeAll(async () => {
    await api.database.sql.query(`UPDATE school SET settings = settings || '{"member_directory":"public"}' WHERE id = $1`, [api.school.id])
    rows = await chooseRowsToRead(api)
  })

  const withKey = (operation: Operation, key: string): string => rows.addressOf(operation, key)
  const addressOf = (operation: Operation): string => withKey(operation, rows.visible(operation))
  const hiddenAddressOf = (operation: Operation): string => withKey(operation, rows.hidden(operation) ?? rows.visible(operation))

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
        expect((await api.get(`${hiddenAddressOf(operation)}?${query}`, options)).json.error).toBe('insufficient_scope')
      }
    })

    test('refuses an unknown parameter by name, before it looks for a row', async () => {
      const reply = await api.get(`${hiddenAddressOf(operation)}?no_such=1`, { as: 'owner@example.com' })
      expect(reply).toMatchObject({ status: 400, json: { error: 'invalid_parameter', details: [{ field: 'no_such' }] } })
    })

    test('refuses other methods and names the right ones, without asking for a token', async () => {
      const reply = await api.get(addressOf(operation), { method: unusedMethod(operation) })
      expect([reply.status, reply.json.error]).toEqual([405, 'method_not_allowed'])
      const allowed = reply.headers.get('allow')
      expect(allowed).toMatch(/^HEAD, GET, .*OPTIONS$/)
      const options = await api.get(addressOf(operation), { method: 'OPTIONS' })
      expect([options.status, options.headers.get('allow')]).toEqual([204, allowed])
    })

    if (ofApps.includes(operation.id)) return

    test('answers nothing that the schema of the view does not name, and all that it names', async () => {
      for (const as of callersByPower) {
        const reply = await api.get(addressOf(operation), { as })
        if (as === undefined && anonymous === 'none') continue
        if ((isForStaff(operation) && !/^(admin|owner)/.test(as ?? '')) || !operation.roles.includes(audienceOf(await api.caller(as)))) {
          expect(reply).toMatchObject({ status: 403, json: { error: 'access_denied' } })
          continue
        }
        if (!rows.isVisibleTo(operation, as)) {
          expect(reply.status).toBe(404)
          continue
        }
        // A lecturer owns another row, or teaches the person of another row, and has the public view of this one.
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

    test('lets anyone keep the public view for half a minute, and the view of a token only for its caller', async () => {
      const asPerson = await api.get(addressOf(operation), { as: 'owner@example.com' })
      expect(asPerson.headers.get('cache-control')).toBe('private, no-cache')
      expect(asPerson.headers.get('vary')).toContain('Authorization')
      expect(asPerson.headers.get('link') ?? '').not.toContain('oauth-protected-resource')
      const reply = await api.get(addressOf(operation))
      expect(reply.headers.get('vary')).toContain('Authorization')
      expect(reply.headers.get('cache-control')).toBe(anonymous === 'none' ? 'no-store' : 'public, max-age=30, stale-while-revalidate=60')
    })

    test(`answers ${isStreamed(operation) ? 'without an ETag' : '304 for a known ETag'}, and HEAD without a body`, async () => {
      const options = { as: 'owner@example.com' }
      const first = await api.get(addressOf(operation), options)
      if (isStreamed(operation)) {
        const head = await api.get(addressOf(operation), { ...options, method: 'HEAD' })
        expect([first.headers.get('etag'), head.status, head.text]).toEqual([null, 200, ''])
        return
      }
      const etag = first.headers.get('etag') as string
      expect(etag).toMatch(['list', 'collectionRead'].includes(operation.kind) ? /^W\/"[0-9a-f]{8}"$/ : /^"\d+-[pos]-[0-9a-f]{8}"$/)
      const again = await api.get(addressOf(operation), { ...options, headers: { 'if-none-match': `"other", ${etag}` } })
      expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
      for (const known of [etag.replace(/"$/, '-gzip"'), `W/${etag.replace('W/', '')}`]) {
        const unchanged = await api.get(addressOf(operation), { ...options, headers: { 'if-none-match': known } })
        expect([known, unchanged.status]).toEqual([known, 304])
      }
      const stale = await api.get(addressOf(operation), { ...options, headers: { 'if-none-match': '"1-s-00000000"' } })
      expect(stale.status).toBe(200)
      const head = await api.get(addressOf(operation), { ...options, method: 'HEAD' })
      expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', etag])
    })

    if (
      !operation.path.includes('{') ||
      operation.kind === 'collectionRead' ||
      !operation.roles.includes('learner') ||
      isForStaff(operation)
    )
      return
    test('answers 404 for a row that the caller cannot see, as for one that does not exist', async () => {
      const { idPrefix } = resourceNamed(operation)
      for (const as of anonymous === 'none' ? ['learner001@example.org'] : [undefined, 'learner001@example.org']) {
        const hidden = await api.get(hiddenAddressOf(operation), { as })
        const none = await api.get(withKey(operation, toPublicId(idPrefix, newId())), { as })
        expect([hidden.status, none.status, hidden.text]).toEqual([404, 404, none.text])
      }
      expect((await api.get(hiddenAddressOf(operation), { as: 'owner@example.com' })).status).toBe(200)
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

  test('the response for an unknown address links to the list of addresses', async () => {
    for (const path of ['/api/v1', '/api/v1/nothing', '/api/v1/courses/a/b', '/api/v1/Courses', '/api/v1/%E0%A4%A']) {
      expect(await api.get(path)).toMatchObject({ status: 404, json: { error: 'not_found' } })
    }
  })

  test.each([
    ['a wrong prefix', 'acc_01jgwejj00e6srgkpqm2sqf05m'],
    ['an id that is too long', 'crs_01jgwejj00e6srgkpqm2sqf05mm'],
    ['an id above 128 bits', 'crs_81jgwejj00e6srgkpqm2sqf05m'],
    ['an underscore', 'clay_from_scratch'],
    ['a NUL', 'a%00b'],
    ['broken percent-encoding', '%E0%A4%A'],
    ['a quote', "a'--"],
  ])('%s is neither an id nor a slug: 400, never 500', async (_what, text) => {
    const reply = await api.get(`/api/v1/courses/${text}`, { as: 'owner@example.com' })
    expect(reply.status).toBe(400)
    expect(['invalid_id', 'invalid_parameter']).toContain(reply.json.error)
  })

  test('a parameter that is repeated or in the wrong place is rejected', async () => {
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

  test('a client that does not accept JSON gets 406', async () => {
    expect(await api.get('/api/v1/courses', { headers: { accept: 'text/html' } })).toMatchObject({
      status: 406,
      json: { error: 'not_acceptable' },
    })
  })
})
