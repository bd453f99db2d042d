import { beforeEach, describe, expect, test } from 'vitest'
import { answer, createAgent, personCalled } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    people: [
      { email: 'owner@example.com', role: 'owner' },
      { email: 'admin@example.com', role: 'admin' },
      { email: 'learner@example.com' },
    ],
  }),
)
const sql = <Row extends object>(text: string, values: readonly unknown[] = []) => service.database.sql.query<Row>(text, values)
beforeEach(async () => {
  for (const table of ['proposal', 'post']) await sql(`DELETE FROM ${table}`)
  await sql(`DELETE FROM audit_log WHERE event = 'approval.requested'`)
  await sql(`UPDATE school SET app_rules = '{}'`)
})

async function connected(email: string) {
  const agent = await createAgent(service.issuer)
  const scope = 'openid account:read account:write posts:read posts:write'
  const { body } = await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })
  const call = (method: string, path: string, sent?: object) =>
    answer(
      fetch(`${service.issuer}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${body.access_token}`, 'if-match': '*', 'content-type': 'application/json' },
        ...(sent && { body: JSON.stringify(sent) }),
      }),
    )
  return { agent, call }
}

const addPost = async ({ call }: Awaited<ReturnType<typeof connected>>): Promise<string> =>
  (await call('POST', '/posts', { title: 'News' })).body.id
const report = () => service.app.jobs.find(({ name }) => name === 'report_requests')?.run()
const plain = (html: string): string => html.replaceAll(/<[^>]+>/g, '')

describe('a request that waits', () => {
  test('is a number in the menu and a box, and one e-mail an hour for all of them', async () => {
    const app = await connected('owner@example.com')
    await sql('UPDATE oidc_grant SET asks_first = true WHERE client_id = $1', [app.agent.clientId])
    for (const path of ['/account/calendar/renew', '/account/restore']) await app.call('POST', path)
    const [{ count } = { count: 0 }] = await sql<{ count: number }>(
      "SELECT count(*)::int AS count FROM proposal WHERE status = 'submitted'",
    )
    expect(count).toBeGreaterThan(0)
    const browser = await signedIn(service, 'owner@example.com')
    for (const path of ['/account', '/account/apps']) {
      const { html } = await browser.get(path)
      expect(plain(html)).toContain(`(${count})`)
      expect(html).toContain('href="/account/approvals"')
    }
    const mails = async () => (await service.emails()).filter(({ subject }) => subject.includes('wait for your decision'))
    await report()
    expect(await mails()).toEqual([])
    await sql(`UPDATE proposal SET created_at = now() - interval '2 minutes'`)
    await report()
    await report()
    expect((await mails()).map(({ to }) => to)).toEqual(['owner@example.com'])
    const [event] = await sql<{ details: object }>(`SELECT details FROM audit_log WHERE event = 'approval.requested'`)
    expect(event?.details).toEqual({ waiting: count })
    const other = await signedIn(service, 'admin@example.com')
    expect((await other.get('/account')).html).not.toContain('href="/account/approvals"')
  })
})

describe('the rules of the school', () => {
  const rules = (more: Record<string, string>) => ({ self_registered: 'everybody', longest_days: '', ...more })

  test('are tried on the activity before they are saved, and apply to apps that do not ask otherwise', async () => {
    const app = await connected('owner@example.com')
    const post = await addPost(app)
    await app.call('PATCH', `/posts/${post}`, { title: 'Changed' })
    const browser = await signedIn(service, 'owner@example.com')
    const page = await browser.get('/account/school/rules')
    const tried = await send(browser, page, rules({ above_rows: '0' }), /rules$/)
    expect(tried.status).toBe(303)
    const [none] = await sql<{ app_rules: object }>('SELECT app_rules FROM school')
    expect(none?.app_rules).toEqual({})
    const trial = await browser.get(tried.location?.href ?? '')
    expect(plain(trial.html)).toMatch(/apps would have asked [1-9]\d* times?/)
    const saved = await send(browser, trial, rules({ above_rows: '0' }), /rules$/)
    expect(saved.location?.search).toBe('?done=saved')
    expect((await app.call('PATCH', `/posts/${post}`, { title: 'Again' })).body.error).toBe('approval_required')
    expect((await app.call('POST', '/posts', { title: 'Another' })).status).toBe(201)
  })

  test('let another owner or admin decide about deletions, and never the person behind the app', async () => {
    const app = await connected('owner@example.com')
    const post = await addPost(app)
    await sql(`UPDATE school SET app_rules = '{"second_person":true}'`)
    const asked = await app.call('DELETE', `/posts/${post}`)
    expect(asked.body.error).toBe('approval_required')
    const { url } = asked.body.details[0].meta
    const owner = await signedIn(service, 'owner@example.com')
    expect(plain((await owner.get(url)).html)).toContain('Another owner or admin of the school decides')
    const approvals = async () => (await sql<{ status: string }>('SELECT status FROM proposal')).map(({ status }) => status)
    const admin = await signedIn(service, 'admin@example.com')
    const page = await admin.get(url)
    await owner.post(new URL(url).pathname, {
      csrf: /name="csrf" value="([^"]+)"/.exec((await owner.get('/account')).html)?.[1] ?? '',
      decision: 'once',
    })
    expect(await approvals()).toEqual(['submitted'])
    const learner = await signedIn(service, 'learner@example.com')
    expect((await learner.get(url)).status).toBe(404)
    expect((await app.call('DELETE', `/posts/${post}`)).body.error).toBe('approval_required')
    expect(plain((await admin.get('/account')).html)).toContain('(1)')
    const hidden = [...page.html.matchAll(/name="(csrf|offered|seen)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
    await admin.post(new URL(url).pathname, { ...Object.fromEntries(hidden), decision: 'once' })
    expect(await approvals()).toEqual(['merged'])
    expect((await app.call('DELETE', `/posts/${post}`)).status).toBe(204)
  })
})
