import type { ServerResponse } from 'node:http'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { agentOf, answer, createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { startDocumentHost } from '../../support/documentHost.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'
import { type Browser, field } from '../browser.ts'
import { send, signedIn } from './account.ts'

const id = 'https://app.example.com/client.json'
const document = {
  client_id: id,
  client_name: 'Example App',
  redirect_uris: ['http://127.0.0.1/callback', 'https://app.example.com/callback', 'https://evil.example/callback'],
}
const loopback = 'http://127.0.0.1:50123/callback'
const host = duringTests(() => startDocumentHost(['app.example.com', 'app.example.com.evil.example']))
const movedId = 'https://app.example.com/moved.json'
const offered_apps = [
  { id: 'example', name: 'Example', client_id: id },
  { id: 'moved', name: 'Moved', client_id: movedId },
]
const oauth = { client_metadata_documents: { offered_apps } }
const service = duringTests(() => startService({ network: host.network, oauth }))
const other = duringTests(() => startService({ network: host.network, oauth, people: [{ email: 'owner@example.com', role: 'owner' }] }))

let owner: Browser
let admin: Browser
beforeAll(async () => {
  for (const role of ['owner', 'admin', 'learner'] as const) await service.addPerson({ email: `${role}@example.com`, role })
  owner = await signedIn(service, 'owner@example.com')
  admin = await signedIn(service, 'admin@example.com')
})
beforeEach(async () => {
  host.pages.clear()
  host.pages.set(id, document)
  await service.database.sql.query(`UPDATE school SET app_rules = '{}'`)
  await service.database.sql.query(`DELETE FROM oidc_client WHERE id = $1`, [id])
})

const path = '/account/school/allowed-apps'
const pageOf = (to: 'allow' | 'stop', app: string) => `/account/school/school/-/${to === 'allow' ? 'allowApp' : 'disallowApp'}?app=${app}`
/** Opens the page of the operation, which shows its effect, and presses its button. */
const switched = async (to: 'allow' | 'stop', app = 'example') => {
  const page = await owner.get(pageOf(to, app))
  expect(page.html).toContain('id="effect"')
  const done = await send(owner, page, { app }, /App$/)
  expect([done.status, done.location?.pathname]).toEqual([303, '/account/school/school/-'])
}
const ask = (clientId = id, redirectUri = loopback, at = service) =>
  get(agentOf(at.issuer, clientId, undefined, redirectUri).authorizationUrl().href, { accept: 'application/json' })
const supports = async (at = service) =>
  (await get(`${at.issuer}/.well-known/oauth-authorization-server`)).body.client_id_metadata_document_supported

describe('an app of the list of the operator', () => {
  test('connects at a school whose owner has allowed it, and at no other one', async () => {
    const refused = await ask()
    expect([refused.status, refused.body.error, refused.headers.get('location')]).toEqual([400, 'invalid_client', null])
    expect(refused.body.error_description).toContain(`${service.issuer}${path}`)
    expect([await supports(), host.requests.length]).toEqual([false, 0])
    const page = await owner.get(path)
    expect(page.html).toContain('app.example.com')
    expect(page.html).toContain(`href="${pageOf('allow', 'example')}"`)
    const effect = (await owner.get(pageOf('allow', 'example'))).html
    expect(effect).toContain('It sees and changes nothing until a person signs in and allows it')
    expect(effect).toContain(id)
    expect(await supports()).toBe(false)
    await switched('allow')
    expect((await owner.get(path)).html).toContain('Stop Example')
    await expect.poll(() => supports(), { timeout: 10_000 }).toBe(true)
    const agent = agentOf(service.issuer, id, undefined, loopback)
    const { body } = await agent.tokens(personCalled('owner@example.com'))
    expect((await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status).toBe(200)
    expect((await ask(id, loopback, other)).status).toBe(400)
    expect(await supports(other)).toBe(false)
  })

  test('stops immediately when the owner no longer allows it, and works again as it was', async () => {
    await switched('allow')
    const agent = agentOf(service.issuer, id, undefined, loopback)
    const { body } = await agent.tokens(personCalled('owner@example.com'))
    const call = () => withToken(`${service.issuer}/api/v1/account`, body.access_token)
    expect((await call()).status).toBe(200)
    await switched('stop')
    expect((await call()).status).not.toBe(200)
    expect((await ask()).status).toBe(400)
    await switched('allow')
    expect((await call()).status).toBe(200)
  })

  test('is allowed with exactly its document: no other one of the host, no host that looks like it, and no redirect of the document', async () => {
    await switched('allow')
    const before = host.requests.length
    for (const url of [
      'https://app.example.com/other.json',
      'https://app.example.com.evil.example/client.json',
      'https://app.example.com:8443/client.json',
      'https://APP.example.com/client.json',
      'https://app.example.com/client.json?a=b',
      'https://аpp.example.com/client.json',
    ]) {
      host.pages.set(url, { ...document, client_id: url })
      const { status, headers } = await ask(url)
      expect([url, status, headers.get('location')]).toEqual([url, 400, null])
    }
    expect(host.requests.length).toBe(before)
    expect((await ask(id, 'https://evil.example/callback')).headers.get('location')).toBeNull()
    await switched('allow', 'moved')
    host.pages.set(movedId, (_request: unknown, response: ServerResponse) => {
      response.writeHead(302, { location: 'https://app.example.com.evil.example/client.json' }).end()
    })
    const moved = await ask(movedId)
    expect([moved.status, moved.body.error]).toEqual([400, 'invalid_client'])
  })

  test('is switched by owners alone, with the form of the page, and not by an id that the operator does not offer', async () => {
    const shown = await admin.get(pageOf('allow', 'example'))
    expect([shown.html.includes('id="effect"'), shown.html.includes('Not possible')]).toEqual([false, true])
    const page = await owner.get(pageOf('allow', 'example'))
    const [csrf, seen] = [field(page.html, 'csrf'), field(page.html, 'seen')]
    const to = pageOf('allow', '').replace(/\?.*/, '')
    expect((await owner.post(to, { csrf: 'forged', app: 'example', seen })).status).toBe(403)
    expect((await admin.post(to, { csrf, app: 'example', seen })).status).toBe(403)
    expect((await admin.post(to, { csrf: field((await admin.get('/account/sessions')).html, 'csrf'), app: 'example', seen })).status).toBe(
      403,
    )
    for (const app of ['claude-ai', '../example', '', 'x'.repeat(5000)])
      expect([app, await owner.post(to, { csrf, app, seen }).then(({ status }) => status < 500 && status >= 400)]).toEqual([app, true])
    const rows = await service.database.sql.query<{ app_rules: object }>('SELECT app_rules FROM school')
    expect(rows.map(({ app_rules }) => app_rules)).toEqual([{}])
  })

  test('is allowed through the API by an app of an owner, and taken back with its activity', async () => {
    const agent = await createAgent(service.issuer)
    const scope = 'openid account:read account:write school:read school:write'
    const { body } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
    const call = (method: string, at: string, sent?: object) =>
      answer(
        fetch(`${service.issuer}/api/v1${at}`, {
          method,
          headers: { authorization: `Bearer ${body.access_token}`, 'content-type': 'application/json', 'if-match': '*' },
          ...(sent && { body: JSON.stringify(sent) }),
        }),
      )
    const allowed = await call('POST', '/school/apps/example/allow', {})
    expect([allowed.status, allowed.body.allowed_apps]).toEqual([200, [id]])
    const [offered] = (await call('GET', '/school/apps')).body.data
    expect(offered).toEqual({ id: 'example', name: 'Example', client_id: id, host: 'app.example.com', allowed: true, by_operator: false })
    const [activity] = (await call('GET', '/account/activity')).body.data
    expect(activity.changes[0].fields).toEqual([{ field: 'allowed_apps', before: '[]', after: JSON.stringify([id]) }])
    const back = await call('POST', `/account/activity/${activity.id}/undo`, {})
    expect(back.status).toBe(200)
    expect((await ask()).status).toBe(400)
    expect((await call('POST', '/school/apps/unknown/allow', {})).status).toBe(404)
  })

  test('stays allowed when the rules of the school are saved', async () => {
    await switched('allow')
    const page = await owner.get('/account/sessions')
    await owner.post('/account/school/rules', { csrf: field(page.html, 'csrf'), self_registered: 'everybody', longest_days: '30' })
    await expect.poll(() => supports(), { timeout: 10_000 }).toBe(true)
  })
})
