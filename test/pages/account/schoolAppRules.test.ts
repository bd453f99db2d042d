import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createAgent, personCalled, postJson, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Browser, field } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    school: { integrations: [{ client_id: 'mailer', client_name: 'Mailer', redirect_uris: ['https://mailer.example.com/cb'] }] },
  }),
)
let owner: Browser
let admin: Browser
beforeAll(async () => {
  for (const role of ['owner', 'admin', 'learner'] as const) await service.addPerson({ email: `${role}@example.com`, role })
  owner = await signedIn(service, 'owner@example.com')
  admin = await signedIn(service, 'admin@example.com')
})
beforeEach(() => service.database.sql.query(`UPDATE school SET app_rules = '{}'`))

type Rules = Partial<Record<'self_registered' | 'longest_days' | 'ask_first' | 'pause_unusual', string>>

async function setRules(rules: Rules, browser = owner) {
  const page = await browser.get('/account/sessions')
  return browser.post('/account/school/rules', { csrf: field(page.html, 'csrf'), self_registered: 'everybody', longest_days: '', ...rules })
}

const scope = 'openid account:read courses:read courses:write students:read'
const textOf = (html: string): string => html.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ')

let created = 0
async function connected(email = 'owner@example.com') {
  const agent = await createAgent(service.issuer, { client_name: `Helper ${++created}` })
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const call = (path: string) => withToken(`${service.issuer}/api/v1${path}`, body.access_token)
  const addCourse = () => postJson(`${service.issuer}/api/v1/courses`, { title: 'Clay' }, { authorization: `Bearer ${body.access_token}` })
  return { agent, tokens: body, call, addCourse }
}

describe('the rules of a school for apps', () => {
  test('are changed by owners alone, on the page alone, and each change is in the audit trail', async () => {
    expect((await setRules({ self_registered: 'nobody' }, admin)).status).toBe(403)
    expect((await admin.get('/account/school/rules')).html).toContain('Only owners can change these rules.')
    for (const wrong of [
      { self_registered: 'all' },
      { longest_days: '0' },
      { longest_days: '366' },
      { longest_days: '1e2' },
      { longest_days: '-1' },
    ])
      expect([wrong, (await setRules(wrong)).status]).toEqual([wrong, 400])
    const forged = await owner.post('/account/school/rules', { csrf: 'forged', self_registered: 'nobody', longest_days: '' })
    expect(forged.status).toBe(403)
    const { addCourse, tokens } = await connected()
    for (const body of [{ app_rules: { self_registered: 'everybody' } }, { settings: { apps: { self_registered: 'everybody' } } }]) {
      const response = await fetch(`${service.issuer}/api/v1/school`, {
        method: 'PATCH',
        headers: { authorization: `Bearer ${tokens.access_token}`, 'content-type': 'application/json', 'if-match': '*' },
        body: JSON.stringify(body),
      })
      expect(response.status).toBeGreaterThanOrEqual(400)
    }
    expect((await addCourse()).status).toBe(201)
    const saved = await setRules({ self_registered: 'staff_read_only', longest_days: '30', ask_first: 'yes', pause_unusual: 'yes' })
    expect([saved.status, saved.location?.search]).toEqual([303, '?done=saved'])
    const page = (await owner.get('/account/school/rules')).html
    expect(page).toMatch(/value="staff_read_only" checked/)
    expect(page).toMatch(/name="longest_days"[^>]* value="30"/)
    const [entry] = await service.database.sql.query<{ details: object }>(
      `SELECT details FROM audit_log WHERE event = 'school.app_rules_changed' ORDER BY id DESC`,
    )
    const more = { ask_above: { rows: null, people: null, amount: null }, second_person: false, allowed_apps: [] }
    expect(entry?.details).toEqual({
      from: { self_registered: 'everybody', longest_days: null, ask_first: 'person', pause_unusual: false, ...more },
      to: { self_registered: 'staff_read_only', longest_days: 30, ask_first: 'always', pause_unusual: true, ...more },
    })
  })

  test('“nobody” stops every app that registered itself with its next request, and none that the school set up', async () => {
    const app = await connected()
    expect((await app.call('/courses')).status).toBe(200)
    await setRules({ self_registered: 'nobody' })
    const stopped = await app.call('/courses')
    expect([stopped.status, stopped.body.error, stopped.headers.get('www-authenticate')]).toEqual([403, 'access_denied', null])
    expect((await withToken(`${service.issuer}/api/oauth/userinfo`, app.tokens.access_token)).status).toBe(403)
    expect((await app.agent.post('/api/oauth/introspect', { token: app.tokens.access_token })).body).toEqual({ active: false })
    // No token is lost.
    const refreshed = await app.agent.refresh(app.tokens.refresh_token)
    expect(refreshed.status).toBe(200)
    const next = await createAgent(service.issuer)
    const redirect = await next.send(personCalled('owner@example.com'), { scope })
    expect(redirect.searchParams.get('error')).toBe('access_denied')
    const page = await owner.follow(await owner.get(next.authorizationUrl({ scope }).href))
    expect(page.html).toContain('allows no apps that it has not set up')
    const back = await owner.follow(await send(owner, page, {}, /consent$/))
    expect(back.location?.searchParams.get('error_description')).toBe('The school allows no apps that register themselves.')
    const [integration] = await service.database.sql.query<{ id: string }>(`SELECT id FROM oidc_client WHERE id = 'mailer'`)
    expect(integration).toBeDefined()
    await setRules({})
    expect((await withToken(`${service.issuer}/api/v1/courses`, refreshed.body.access_token)).status).toBe(200)
  })

  test('“staff let them read only” takes permissions to change things from staff, at the consent and from tokens that exist', async () => {
    const app = await connected()
    expect((await app.addCourse()).status).toBe(201)
    await setRules({ self_registered: 'staff_read_only' })
    const refused = await app.addCourse()
    expect([refused.status, refused.body.error]).toEqual([403, 'access_denied'])
    expect(refused.body.error_description).toContain('permissions to read only')
    expect((await app.call('/courses')).status).toBe(200)
    const introspected = await app.agent.post('/api/oauth/introspect', { token: app.tokens.access_token })
    expect(introspected.body.scope.split(' ')).not.toContain('courses:write')
    const refreshed = await app.agent.refresh(app.tokens.refresh_token)
    expect(refreshed.body.scope.split(' ')).not.toContain('courses:write')
    const later = await connected()
    expect(later.tokens.scope.split(' ').toSorted()).toEqual(['account:read', 'courses:read', 'openid', 'students:read'])
    const agent = await createAgent(service.issuer)
    const learner = await agent.tokens(
      personCalled('learner@example.com'),
      { scope: 'openid account:read account:write' },
      { scopes: 'all' },
    )
    expect(learner.body.scope).toContain('account:write')
  })

  test('“an owner agrees” lets nobody use a new app before, notifies the owners, and keeps the apps that people use', async () => {
    const used = await connected()
    await used.call('/courses')
    await service.app.grantUses.flush()
    await setRules({ self_registered: 'owner_agrees' })
    expect((await used.call('/courses')).status).toBe(200)

    const agent = await createAgent(service.issuer, { client_name: 'New <Helper>' })
    const redirect = await agent.send(personCalled('learner@example.com'), { scope })
    expect(redirect.searchParams.get('error')).toBe('access_denied')
    expect(redirect.searchParams.get('error_description')).toContain('An owner of the school has to agree')
    const list = await owner.get('/account/school/apps')
    expect(textOf(list.html)).toContain('Waits for an owner to agree')
    const agree = (browser: Browser, csrf: string) =>
      browser.post('/account/school/apps/agree', { csrf, client: agent.clientId, list: 'connected' })
    const foreign = await admin.get('/account/school/apps')
    expect((await agree(admin, field(foreign.html, 'csrf'))).status).toBe(403)
    expect((await agree(owner, 'forged')).status).toBe(403)
    expect((await agree(owner, field(list.html, 'csrf'))).location?.search).toBe('?done=agreed')
    expect((await agent.tokens(personCalled('learner@example.com'), { scope: 'openid courses:read' })).status).toBe(200)
    expect(textOf((await owner.get('/account/school/apps')).html)).not.toMatch(/Waits for an owner|needs the agreement/)
  })

  test('the longest access bounds what people choose, and shortens what they gave before', async () => {
    const before = await connected()
    await setRules({ longest_days: '7' })
    const after = await connected()
    for (const { agent } of [before, after]) {
      const [grant] = await service.database.sql.query<{ days: number }>(
        'SELECT extract(epoch FROM expires_at - now())::float8 / 86400 AS days FROM oidc_grant WHERE client_id = $1',
        [agent.clientId],
      )
      expect(grant?.days).toBeLessThanOrEqual(7)
      expect(grant?.days).toBeGreaterThan(6.9)
    }
  })

  test('“always ask” makes every app that registered itself ask, and the person cannot turn it off', async () => {
    const app = await connected()
    await setRules({ ask_first: 'yes' })
    const response = await fetch(`${service.issuer}/api/v1/account/sessions`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${app.tokens.access_token}` },
    })
    expect(response.status).toBeGreaterThanOrEqual(400)
    const page = /href="(\/account\/apps\/aut_\w+)"/.exec((await owner.get('/account/apps')).html)?.[1] ?? ''
    const shown = await owner.get(page)
    expect(textOf(shown.html)).toContain('Yes, the school requires it')
    expect(shown.html).not.toContain('action="/account/apps/ask-first"')
  })

  test('a rule that an earlier release wrote and this one does not know is the default one', async () => {
    const app = await connected()
    await service.database.sql.query(`UPDATE school SET app_rules = '{"self_registered":"robots","longest_days":"x","other":1}'`)
    expect((await app.call('/courses')).status).toBe(200)
    expect((await owner.get('/account/school/rules')).html).toMatch(/value="everybody" checked/)
  })
})

describe('the form of the rules', () => {
  test('is confirmed like each sensitive form, and shows the entered number again', async () => {
    const page = await owner.get('/account/school/rules')
    const again = await send(owner, page, { self_registered: 'nobody', longest_days: 'many' }, /rules$/)
    expect(again.status).toBe(400)
    expect(textOf(again.html)).toContain('Enter a whole number from 1 to 365, or nothing.')
    expect(again.html).toMatch(/value="nobody" checked/)
  })
})
