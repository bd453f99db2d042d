import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { createAgent, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Browser, createBrowser, field } from '../browser.ts'
import { signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    schools: 2,
    school: { integrations: [{ client_id: 'mailer', client_name: 'Mailer', redirect_uris: ['https://mailer.example.com/cb'] }] },
  }),
)
let owner: Browser
beforeAll(async () => {
  await service.addPerson({ email: 'owner@example.com', role: 'owner' })
  await service.addPerson({ email: 'admin@example.com', role: 'admin' })
  owner = await signedIn(service, 'owner@example.com')
})
afterEach(() => vi.useRealTimers())

const pages = [
  '/account/school/apps',
  '/account/school/integrations',
  '/account/school/rules',
  '/account/school/staff',
  '/account/school/audit',
  '/account/school/audit.csv',
]
const actions = ['end', 'disable', 'enable', 'pause', 'continue', 'agree'].map((action) => `/account/school/apps/${action}`)

let count = 0
/** An app that people of these numbers have connected. */
async function connected(name: string, people = 1) {
  const agent = await createAgent(service.issuer, { client_name: name })
  const tokens: { access_token: string; refresh_token: string }[] = []
  for (let at = 0; at < people; at += 1) {
    const email = `person${++count}@example.com`
    await service.addPerson({ email })
    tokens.push((await agent.tokens(personCalled(email), { scope: 'openid courses:read account:read' }, { scopes: 'all' })).body)
  }
  return { agent, tokens }
}
const call = async ({ access_token }: { access_token: string }) =>
  (await withToken(`${service.issuer}/api/v1/account`, access_token)).status
const act = async (browser: Browser, action: string, client: string) => {
  const page = await browser.get('/account/school/apps')
  return browser.post(`/account/school/apps/${action}`, { csrf: field(page.html, 'csrf'), client, list: 'connected' })
}
const auditOf = (event: string) =>
  service.database.sql.query<{ account_id: string; client_id: string; details: Record<string, unknown> }>(
    'SELECT account_id, client_id, details FROM audit_log WHERE event = $1 ORDER BY id',
    [event],
  )

describe('the pages of the school', () => {
  test('are for its owners and admins: everybody else gets the answer of a page that does not exist', async () => {
    await service.addPerson({ email: 'teacher@example.com', role: 'lecturer' })
    await service.addPerson({ email: 'learner@example.com' })
    await service.addPerson({ email: 'other@example.com', role: 'owner', school: service.other })
    const [admin, teacher, learner] = [
      await signedIn(service, 'admin@example.com'),
      await signedIn(service, 'teacher@example.com'),
      await signedIn(service, 'learner@example.com'),
    ]
    for (const path of pages) {
      expect([path, (await owner.get(path)).status, (await admin.get(path)).status]).toEqual([path, 200, 200])
      for (const browser of [teacher, learner]) {
        const answer = await browser.get(path)
        expect([path, answer.status]).toEqual([path, 404])
        expect(answer.html).not.toContain('Mailer')
      }
      const nobody = await createBrowser(service.issuer).get(path)
      expect([nobody.status, nobody.location?.pathname]).toEqual([303, '/account/sign-in'])
    }
    for (const path of actions) {
      const { html } = await teacher.get('/account/sessions')
      expect((await teacher.post(path, { csrf: field(html, 'csrf'), client: 'mailer' })).status).toBe(404)
      expect((await createBrowser(service.issuer).post(path, { client: 'mailer' })).status).toBe(303)
    }
  })

  test('close immediately for an admin who loses the role', async () => {
    const { personId } = await service.addPerson({ email: 'demoted@example.com', role: 'admin' })
    const browser = await signedIn(service, 'demoted@example.com')
    expect((await browser.get('/account/school/apps')).status).toBe(200)
    await service.database.sql.query(`UPDATE staff SET status = 'removed' WHERE person_id = $1`, [personId])
    expect((await browser.get('/account/school/apps')).status).toBe(404)
  })

  test('accept only forms that were shown in the same session', async () => {
    const { agent, tokens } = await connected('Guarded')
    const admin = await signedIn(service, 'admin@example.com')
    const foreign = field((await admin.get('/account/school/apps')).html, 'csrf')
    for (const csrf of ['', 'forged', foreign]) {
      for (const action of ['end', 'disable', 'enable', 'pause', 'continue']) {
        const answer = await owner.post(`/account/school/apps/${action}`, { csrf, client: agent.clientId, list: 'connected' })
        expect([action, answer.status]).toEqual([action, 403])
      }
    }
    expect(await call(tokens[0] as { access_token: string })).toBe(200)
  })
})

describe('connected apps of the school', () => {
  test('show how many people use an app and what they allowed, with its name as text', async () => {
    const { agent } = await connected('<b>Busy</b> "App"', 3)
    const { html } = await owner.get('/account/school/apps')
    const row = html.split('<tr').find((part) => part.includes(agent.clientId)) ?? ''
    expect(row).toContain('<bdi>3 people</bdi>')
    expect(row).toContain('&lt;b&gt;Busy&lt;/b&gt;')
    expect(html).not.toContain('<b>Busy')
    expect(row).toContain('<p>3 permissions</p>')
    expect(row).toMatch(/It registered itself/)
  })

  test('lose all access of one app with the next request, which the audit trail attributes to the person who acted', async () => {
    const { agent, tokens } = await connected('Ended', 2)
    const other = await connected('Untouched')
    const answer = await act(owner, 'end', agent.clientId)
    expect([answer.status, answer.location?.href]).toEqual([303, `${service.issuer}/account/school/apps?done=ended`])
    expect((await owner.follow(answer)).html).toContain('no longer has access to any account')
    for (const token of tokens) {
      expect(await call(token)).toBe(401)
      expect((await agent.refresh(token.refresh_token)).body.error).toBe('invalid_grant')
    }
    expect(await call(other.tokens[0] as { access_token: string })).toBe(200)
    const [entry] = (await auditOf('school.app_access_ended')).slice(-1)
    const [{ id } = { id: '' }] = await service.database.sql.query<{ id: string }>(
      `SELECT id FROM account WHERE email = 'owner@example.com'`,
    )
    expect(entry).toEqual({ account_id: id, client_id: agent.clientId, details: { grants: 2 } })
    const ended = (await auditOf('grant.revoked')).filter(({ client_id }) => client_id === agent.clientId)
    expect(ended.map(({ details }) => details)).toEqual([
      { by: 'school', staff: id },
      { by: 'school', staff: id },
    ])
    // The app can be connected again.
    expect((await agent.tokens(personCalled('person1@example.com'), { scope: 'openid' }, { scopes: 'all' })).status).toBe(200)
  })

  test('can be disabled and enabled again: the access from before stays ended', async () => {
    const { agent, tokens } = await connected('Blocked')
    const token = tokens[0] as { access_token: string }
    expect((await act(owner, 'disable', agent.clientId)).location?.search).toBe('?done=disabled')
    expect(await call(token)).toBe(401)
    expect((await fetch(agent.authorizationUrl(), { redirect: 'manual' })).status).toBe(400)
    const { html } = await owner.get('/account/school/apps')
    expect(html.split('<tr').find((part) => part.includes(agent.clientId))).toContain('Disabled by the school')
    // Reading the school's file again does not enable it.
    await service.reload({})
    expect((await fetch(agent.authorizationUrl(), { redirect: 'manual' })).status).toBe(400)
    expect((await act(owner, 'enable', agent.clientId)).location?.search).toBe('?done=enabled')
    expect(await call(token)).toBe(401)
    expect((await agent.tokens(personCalled('person1@example.com'), { scope: 'openid' }, { scopes: 'all' })).status).toBe(200)
    expect((await auditOf('school.app_disabled')).at(-1)?.client_id).toBe(agent.clientId)
    expect((await auditOf('school.app_enabled')).at(-1)?.client_id).toBe(agent.clientId)
  })

  test('stay disabled if the operator disabled them, and an integration that the school disabled stays so after a reload', async () => {
    const { agent } = await connected('Banned')
    await service.database.sql.query(`UPDATE oidc_client SET disabled_at = now(), disabled_by = 'operator' WHERE id = $1`, [agent.clientId])
    expect((await act(owner, 'enable', agent.clientId)).status).toBe(404)
    expect((await fetch(agent.authorizationUrl(), { redirect: 'manual' })).status).toBe(400)
    expect((await act(owner, 'disable', 'mailer')).status).toBe(303)
    await service.reload({})
    const { html } = await owner.get('/account/school/integrations')
    expect(html.split('<tr').find((part) => part.includes('mailer.example.com'))).toContain('Disabled by the school')
    expect((await act(owner, 'enable', 'mailer')).status).toBe(303)
  })

  test('of another school do not exist here', async () => {
    const agent = await createAgent(service.other, { client_name: 'Elsewhere' })
    for (const client of [agent.clientId, 'none', '', '\u0000', 'x'.repeat(5000)]) {
      for (const action of ['end', 'disable', 'enable']) expect((await act(owner, action, client)).status).toBe(404)
    }
    expect((await owner.get('/account/school/apps')).html).not.toContain('Elsewhere')
    const [row] = await service.database.sql.query<{ disabled_at: Date | null }>('SELECT disabled_at FROM oidc_client WHERE id = $1', [
      agent.clientId,
    ])
    expect(row?.disabled_at).toBeNull()
  })

  test('come in pages of twenty', async () => {
    await service.database.sql.query(
      `INSERT INTO oidc_client (school_id, id, registered_via, metadata, disabled_at, disabled_by)
       SELECT $1, 'old-' || n, 'self', '{"client_name":"Old"}', now(), 'school' FROM generate_series(1, 25) n`,
      [service.schoolId()],
    )
    const first = await owner.get('/account/school/apps')
    expect(first.html.match(/<th scope="row"/g)).toHaveLength(20)
    expect(first.html).toContain('href="/account/school/apps?page=2"')
    for (const page of ['0', '-1', 'x', '99999', '1e3']) expect((await owner.get(`/account/school/apps?page=${page}`)).status).toBe(200)
  })
})

describe('a confirmation', () => {
  test('is asked for before every action and the download, and nothing has happened until then', async () => {
    const browser = await signedIn(service, 'admin@example.com')
    const { agent, tokens } = await connected('Kept')
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    for (const action of ['end', 'disable', 'enable']) {
      const answer = await act(browser, action, agent.clientId)
      expect([answer.status, answer.location?.pathname]).toEqual([303, '/account/confirm'])
      expect(answer.location?.searchParams.get('return_to')).toBe('/account/school/apps?done=confirmed')
    }
    expect((await browser.get('/account/school/audit.csv')).location?.pathname).toBe('/account/confirm')
    expect(await call(tokens[0] as { access_token: string })).toBe(200)
  })
})

describe('staff and the audit trail', () => {
  test('only the staff of this school are listed, with their role', async () => {
    const { html } = await owner.get('/account/school/staff')
    expect(html).toContain('admin@example.com')
    expect(html).toContain('Not set up')
    expect(html).not.toContain('person1@example.com')
    expect(html).not.toContain('other@example.com')
  })

  test('the audit trail is filtered by time, event, person and app', async () => {
    const { agent } = await connected('Audited')
    const rows = async (query: string) => (await owner.get(`/account/school/audit?${query}`)).html.match(/<time /g)?.length ?? 0
    const today = new Date().toISOString().slice(0, 10)
    expect(await rows(`client=${agent.clientId}&event=consent`)).toBe(1)
    expect(await rows(`client=${agent.clientId}&event=consent.granted&from=${today}&until=${today}`)).toBe(1)
    expect(await rows(`client=${agent.clientId}&until=2020-01-01`)).toBe(0)
    expect(await rows('event=consen')).toBe(0)
    expect(await rows('person=person1@example.com&event=consent.granted')).toBeGreaterThan(0)
    expect(await rows('person=person1@example.com&event=client.registered')).toBe(0)
    for (const query of [
      'from=2026-02-30',
      'until=x',
      'event=%27;--',
      'person=nobody@example.com',
      'event=a&event=b',
      `client=${'x'.repeat(600)}`,
    ]) {
      const answer = await owner.get(`/account/school/audit?${query}`)
      expect([query, answer.status, answer.html.includes('class="error"')]).toEqual([query, 400, true])
    }
    const first = await owner.get('/account/school/audit')
    const older = /href="([^"]*before=[^"]*)"/.exec(first.html)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const times = (html: string) => [...html.matchAll(/datetime="([^"]*)"/g)].map(([, time = '']) => time)
    const [page, next] = [times(first.html), times((await owner.get(older)).html)]
    expect(page).toHaveLength(50)
    expect([...page, ...next]).toEqual([...page, ...next].toSorted().toReversed())
  })

  test('the audit trail can be downloaded as CSV, without cells that a spreadsheet would run, and the download is in it', async () => {
    const client = '=HYPERLINK("https://evil.example","x")'
    await service.database.sql.query(
      `INSERT INTO audit_log (school_id, id, event, client_id, address, details) VALUES ($1, gen_random_uuid(), 'test.formula', $2, '@SUM(A1)', '{}')`,
      [service.schoolId(), client],
    )
    const answer = await owner.get('/account/school/audit.csv?event=test.formula')
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-[\w-]+\.csv"$/)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const [head, line] = answer.html.split('\r\n')
    expect(head).toBe('at,event,account_id,email,client_id,grant_id,request_id,address,details')
    expect(line).toContain(`,"'=HYPERLINK(""https://evil.example"",""x"")",`)
    expect(line).toContain(`,'@SUM(A1),`)
    expect((await auditOf('school.audit_exported')).at(-1)?.details).toEqual({ event: 'test.formula' })
    expect((await owner.get('/account/school/audit.csv?from=never')).status).toBe(302)
  })

  test('the filter is a form that works without a script', async () => {
    const page = await owner.get('/account/school/audit')
    expect(page.html).toMatch(/<form method="get" action="\/account\/school\/audit"/)
  })
})
