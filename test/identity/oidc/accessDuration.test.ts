import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashedId } from '../../../src/base/ids.ts'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { accessRule } from '../../../src/identity/apps/accessDuration.ts'
import { type Agent, agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, databasesToTest, throwawayRedis } from '../../support/databases.ts'
import { formsOf, type Person } from '../../support/person.ts'
import { password, startService, type TestService } from '../../support/service.ts'

const { redis: hasRedis } = await availableServices()
const databases = await databasesToTest()
const stores = [
  ...databases.map((database) => ({ ...database, withRedis: false })),
  ...databases.slice(-1).map((database) => ({ ...database, withRedis: true })),
]
const email = 'learner@example.org'
const [secret, callback] = ['the secret of an integration, which is long enough', 'https://sync.example.com/callback']
const secret_hash = `sha256:${createHash('sha256').update(secret).digest('base64url')}`
const integrations = [
  {
    ...{ client_id: 'sync', client_name: 'Sync', redirect_uris: [callback] },
    ...{ token_endpoint_auth_method: 'client_secret_post', secret_hash },
  },
]
const [hour, day] = [3600, 86_400]

describe.each(stores.filter(({ withRedis }) => hasRedis || !withRedis))(
  'access on $name, with Redis: $withRedis',
  ({ open, withRedis }) => {
    let redis: RedisConnection | undefined
    let service: TestService
    let agent: Agent
    beforeAll(async () => {
      if (withRedis) {
        redis = createRedis((await throwawayRedis()).url, { onError: () => undefined })
        await redis.connect()
      }
      service = await startService({ open, school: { integrations }, ...(redis ? { redis } : {}) })
      await service.addPerson({ email })
      agent = await createAgent(service.issuer)
    })
    afterAll(async () => {
      await service.stop()
      await redis?.close()
    })

    interface Grant {
      id: string
      seconds: number
    }
    const newest = async (): Promise<Grant> => {
      const [grant] = await service.database.sql.query<Grant>(
        `SELECT id, extract(epoch FROM expires_at - now())::float8 AS seconds FROM oidc_grant ORDER BY created_at DESC, id LIMIT 1`,
      )
      if (!grant) throw new Error('there is no grant')
      return grant
    }
    /** Lets the time of a grant pass, until so many seconds are left. */
    const pass = (id: string, secondsLeft: number) =>
      service.database.sql.query(`UPDATE oidc_grant SET expires_at = now() + make_interval(secs => $2) WHERE id = $1`, [id, secondsLeft])
    const call = (token: string) => withToken(`${service.issuer}/api/v1/account`, token)
    const allow = async (duration: string, person: Person = personCalled(email)) => {
      const { status, body } = await agent.tokens(person, {}, { duration })
      expect(status).toBe(200)
      return body
    }
    const signedIn = async (): Promise<Person> => {
      const person = personCalled(email)
      await person.submit(await person.open(`${service.issuer}/account/sign-in`), /sign-in$/, { email, password })
      return person
    }
    const pageOf = ({ id }: Grant) => `${service.issuer}/account/apps/${hashedId('aut', id)}`

    test.each([
      ['1_hour', hour],
      ['1_day', day],
      ['30_days', 30 * day],
      ['until_removed', 365 * day],
    ])('that a person allows with %s ends after it, however often the app refreshes', async (duration, seconds) => {
      const tokens = await allow(duration)
      const grant = await newest()
      expect(Math.abs(grant.seconds - seconds)).toBeLessThan(30)
      expect(tokens.expires_in).toBeLessThanOrEqual(hour)
      const refreshed = await agent.refresh(tokens.refresh_token)
      expect(refreshed.status).toBe(200)
      expect((await newest()).seconds).toBeLessThanOrEqual(grant.seconds)
      // Thirty seconds before the end.
      await pass(grant.id, 30)
      const last = await agent.refresh(refreshed.body.refresh_token)
      expect(last.status).toBe(200)
      expect(last.body.expires_in).toBeGreaterThan(0)
      expect(last.body.expires_in).toBeLessThanOrEqual(30)
      const { exp = 0, iat = 0 } = decodeJwt(last.body.id_token ?? tokens.id_token)
      if (last.body.id_token) expect(exp - iat).toBeLessThanOrEqual(30)
      expect((await call(last.body.access_token)).status).toBe(200)
      // After the end.
      await pass(grant.id, 0)
      const late = await agent.refresh(last.body.refresh_token)
      expect([late.status, late.body.error]).toEqual([400, 'invalid_grant'])
      expect(late.body.error_description).toMatch(
        /^The person allowed access until \d{4}-\d\d-\d\dT[\d:.]+Z; ask again\. Send the person through /,
      )
      const refused = await call(last.body.access_token)
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])
      // The late refresh is not a reuse: nothing else of the person is revoked, and asking again works.
      expect((await agent.tokens(personCalled(email))).status).toBe(200)
    })

    test('of another client that presents the refresh token learns nothing about its end', async () => {
      const { refresh_token } = await allow('1_hour')
      const grant = await newest()
      await pass(grant.id, 0)
      const other = await createAgent(service.issuer)
      const { status, body } = await other.refresh(refresh_token)
      expect([status, body.error]).toEqual([400, 'invalid_grant'])
      expect(body.error_description).not.toContain('until')
    })

    test('is asked for again each time: a new consent has the proposed duration, and the earlier grant keeps its end', async () => {
      await allow('1_hour')
      const first = await newest()
      const person = personCalled(email)
      await allow('1_day', person)
      const second = await newest()
      expect(second.id).not.toBe(first.id)
      const [row] = await service.database.sql.query<{ seconds: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float8 AS seconds FROM oidc_grant WHERE id = $1',
        [first.id],
      )
      expect(row?.seconds).toBeLessThanOrEqual(hour)
      const page = await person.open(agent.authorizationUrl().href)
      const duration = formsOf(page.html).flatMap(({ fields }) => fields.filter(({ name }) => name === 'duration'))
      expect(new Set(duration.map(({ value }) => value))).toEqual(new Set(['until_removed']))
    })

    test('that is given silently keeps the end that the person chose', async () => {
      const sync = agentOf(service.issuer, 'sync', secret, callback)
      const person = personCalled(email)
      const parameters = { scope: 'openid profile courses:read' }
      expect((await sync.tokens(person, parameters, { scopes: 'all', duration: '1_hour' })).status).toBe(200)
      const grant = await newest()
      await pass(grant.id, 60)
      const silent = await person.open(sync.authorizationUrl({ ...parameters, prompt: 'none' }).href)
      const { status, body } = await sync.redeem(silent.leftFor ?? new URL('http://nowhere'))
      expect(status).toBe(200)
      expect(body.expires_in).toBeLessThanOrEqual(60)
      const { exp = 0, iat = 0 } = decodeJwt(body.id_token)
      expect(exp - iat).toBeLessThanOrEqual(60)
      expect((await newest()).id).toBe(grant.id)
      await pass(grant.id, 0)
      const ended = await person.open(sync.authorizationUrl({ ...parameters, prompt: 'none' }).href)
      expect(ended.leftFor?.searchParams.get('error')).toBe('consent_required')
    })

    test.each([
      ['unknown', ['forever']],
      ['negative', ['-1']],
      ['a number', ['99999999']],
      ['empty', ['']],
      ['repeated', ['1_hour', 'until_removed']],
      ['a name of every object', ['constructor']],
    ])('is refused if the duration is %s, with a clear page and no grant', async (_kind, durations) => {
      const person = await signedIn()
      const page = await person.open(agent.authorizationUrl().href)
      const form = formsOf(page.html).find(({ action }) => action.endsWith('/consent'))
      const csrf = form?.fields.find(({ name }) => name === 'csrf')?.value ?? ''
      const body = new URLSearchParams({ csrf })
      body.append('scope', 'profile')
      for (const duration of durations) body.append('duration', duration)
      const before = await newest()
      const cookie = [...person.cookies].map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ')
      const response = await fetch(new URL(form?.action ?? '', page.url), {
        ...{ method: 'POST', body, redirect: 'manual' },
        headers: { cookie, origin: page.url.origin, accept: 'text/html' },
      })
      expect(response.status).toBe(400)
      expect(await response.text()).toContain('duration must be given once, as one of 1_hour, 1_day, 30_days, until_removed.')
      expect(await newest()).toMatchObject({ id: before.id })
    })

    test('that the person extends goes on with the tokens that were issued, and with new ones after the former end', async () => {
      const tokens = await allow('1_hour')
      const grant = await newest()
      await pass(grant.id, 20)
      const short = (await agent.refresh(tokens.refresh_token)).body
      expect(short.expires_in).toBeLessThanOrEqual(20)
      const person = await signedIn()
      const shown = await person.open(pageOf(grant))
      expect(shown.html).toContain('Ends on')
      const changed = await person.submit(shown, /\/end$/, { duration: '30_days' })
      expect([changed.status, changed.html.includes('The end of this access is changed.')]).toEqual([200, true])
      expect(Math.abs((await newest()).seconds - 30 * day)).toBeLessThan(30)
      const { body: inspected } = await agent.post('/api/oauth/introspect', { token: short.access_token })
      expect(inspected.active).toBe(true)
      expect(inspected.exp - Date.now() / 1000).toBeLessThanOrEqual(21)
      const next = await agent.refresh(short.refresh_token)
      expect([next.status, next.body.expires_in]).toEqual([200, hour])
      const events = await service.database.sql.query<{ details: { from: string; to: string } }>(
        "SELECT details FROM audit_log WHERE event = 'grant.end_changed' AND grant_id = $1",
        [grant.id],
      )
      expect(events).toHaveLength(1)
      expect(Date.parse(events[0]?.details.to ?? '') - Date.parse(events[0]?.details.from ?? '')).toBeGreaterThan(29 * day * 1000)
    })

    test('that the person shortens ends then for every token, also for one that lives longer', async () => {
      const tokens = await allow('until_removed')
      const grant = await newest()
      expect((await call(tokens.access_token)).status).toBe(200)
      const person = await signedIn()
      await person.submit(await person.open(pageOf(grant)), /\/end$/, { duration: '1_hour' })
      expect(Math.abs((await newest()).seconds - hour)).toBeLessThan(30)
      const own = await withToken(`${service.issuer}/api/v1/account/authorizations`, tokens.access_token)
      const ends = own.body.data.map(({ expires_at }: { expires_at: string }) => Date.parse(expires_at))
      expect(ends.every((at: number) => at > Date.now())).toBe(true)
      expect(ends.some((at: number) => Math.abs(at - Date.now() - hour * 1000) < 30_000)).toBe(true)
      await pass(grant.id, 30)
      const { body: inspected } = await agent.post('/api/oauth/introspect', { token: tokens.access_token })
      expect(inspected.exp - Date.now() / 1000).toBeLessThanOrEqual(31)
      await pass(grant.id, 0)
      const refused = await call(tokens.access_token)
      expect([refused.status, refused.body.error]).toEqual([401, 'invalid_token'])

      // The page shows that the access has ended, and its end cannot be changed any more.
      const ended = await person.open(pageOf(grant))
      expect(ended.status).toBe(200)
      expect(ended.html).not.toContain('/end"')
    })

    test('of somebody else cannot be extended or shortened, and neither without the form of the own page', async () => {
      await allow('1_day')
      const grant = await newest()
      await service.addPerson({ email: `other-${withRedis}@example.org` })
      const other = personCalled(`other-${withRedis}@example.org`)
      await other.submit(await other.open(`${service.issuer}/account/sign-in`), /sign-in$/, {
        email: `other-${withRedis}@example.org`,
        password,
      })
      await agent.tokens(other, {}, { duration: '1_day' })
      const page = await other.open(pageOf(await newest()))
      const stolen = { ...page, html: page.html.replaceAll(hashedId('aut', (await newest()).id), hashedId('aut', grant.id)) }
      expect((await other.submit(stolen, /\/end$/, { duration: 'until_removed' })).status).toBe(404)
      const person = await signedIn()
      const own = await person.open(pageOf(grant))
      const forged = { ...own, html: own.html.replaceAll(/name="csrf" value="[^"]*"/g, 'name="csrf" value="x"') }
      expect((await person.submit(forged, /\/end$/, { duration: 'until_removed' })).status).toBe(403)
      expect((await person.submit(own, /\/end$/, { duration: '-5' })).status).toBe(400)
      const [row] = await service.database.sql.query<{ seconds: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float8 AS seconds FROM oidc_grant WHERE id = $1',
        [grant.id],
      )
      expect(row?.seconds).toBeLessThanOrEqual(day)
    })
  },
)

test('no access lasts longer than the rule permits, whatever is chosen', () => {
  const anyTerms = { longestDays: undefined }
  const rule = accessRule({ lifetimes: { grant_days: 20 }, consent: { default_duration: '30_days' } }, anyTerms)
  expect(rule).toEqual({ longestSeconds: 20 * day, offered: ['1_hour', '1_day', 'until_removed'], proposed: 'until_removed' })
  expect(accessRule({ lifetimes: { grant_days: 1 }, consent: { default_duration: '1_day' } }, anyTerms).offered).toEqual([
    '1_hour',
    'until_removed',
  ])
  expect(accessRule({ lifetimes: { grant_days: 365 }, consent: { default_duration: '1_day' } }, anyTerms).proposed).toBe('1_day')
  const week = accessRule({ lifetimes: { grant_days: 365 }, consent: { default_duration: '30_days' } }, { longestDays: 7 })
  expect(week).toEqual({ longestSeconds: 7 * day, offered: ['1_hour', '1_day', 'until_removed'], proposed: 'until_removed' })
})
