// Proves OpenID Connect Core section 3.1.2.1: `prompt=none` gives a code to an integration with https redirect URIs, a session and a decided grant, and refuses everybody else

import { createHash } from 'node:crypto'
import { decodeJwt } from 'jose'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { fieldsOf, sendAs } from '../../security/browsing.ts'
import { type Agent, agentOf, createAgent, personCalled } from '../../support/agent.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import type { Person } from '../../support/person.ts'
import { startService } from '../../support/service.ts'

const [email, others] = ['learner@example.org', 'other@example.org']
const [secret, callback] = ['the secret of an integration, which is long enough', 'https://sync.example.com/callback']
const integrations = [
  {
    ...{ client_id: 'sync', client_name: 'Sync', redirect_uris: [callback] },
    token_endpoint_auth_method: 'client_secret_post',
    secret_hash: `sha256:${createHash('sha256').update(secret).digest('base64url')}`,
  },
  { client_id: 'page', client_name: 'Page', redirect_uris: [callback] },
  { client_id: 'installed', client_name: 'Installed', redirect_uris: [callback, 'http://127.0.0.1:33418/'] },
]
const scope = 'openid profile courses:read'

describe.each(await databasesToTest())('an authorization with prompt=none on $name (OpenID Connect Core section 3.1.2.1)', ({ open }) => {
  const service = duringTests(() => startService({ open, schools: 2, school: { integrations }, otherSchool: { integrations } }))
  beforeAll(async () => {
    for (const school of [service.issuer, service.other]) {
      await service.addPerson({ email, school })
      await service.addPerson({ email: others, role: 'owner', school })
    }
  })
  const sql = (text: string, values: unknown[] = []) => service.database.sql.query<{ count: number }>(text, values)
  beforeEach(async () => void (await sql('UPDATE oidc_grant SET revoked_at = now() WHERE revoked_at IS NULL')))

  const integration = (id: string, issuer = service.issuer): Agent => agentOf(issuer, id, id === 'sync' ? secret : undefined, callback)

  /** Sends a browser without a person in front of it. Returns the parameters of the redirect. */
  async function silent(person: Person, agent: Agent, parameters: Record<string, string> = {}): Promise<URL> {
    const page = await person.open(agent.authorizationUrl({ scope, prompt: 'none', ...parameters }).href)
    if (!page.leftFor) throw new Error(`no redirect: ${page.status} ${page.html.slice(0, 1000)}`)
    expect(page.leftFor.searchParams.get('iss')).toBe(agent.issuer)
    expect(page.leftFor.searchParams.get('state')).toBe('a-state')
    return page.leftFor
  }
  /** A browser in which the person has allowed the app these scopes. */
  async function allowed(agent: Agent, { scopes = 'all' as 'all' | string[], parameters = {}, who = email } = {}) {
    const person = personCalled(who)
    const { status, body } = await agent.tokens(person, { scope, ...parameters }, { scopes })
    expect(status).toBe(200)
    return { person, tokens: body }
  }
  async function expectRefusal(person: Person, agent: Agent, error: string, parameters: Record<string, string> = {}): Promise<void> {
    const redirect = await silent(person, agent, parameters)
    expect([redirect.searchParams.get('error'), redirect.searchParams.get('code')]).toEqual([error, null])
  }

  test.each(['sync', 'page'])('of the integration %s gets a code for what the person has allowed, and creates no grant', async (id) => {
    const agent = integration(id)
    const { person, tokens } = await allowed(agent)
    const before = await sql('SELECT count(*)::int AS count, max(expires_at) AS expires FROM oidc_grant')
    const { status, body } = await agent.redeem(await silent(person, agent))
    expect([status, body.scope.split(' ').toSorted()]).toEqual([200, scope.split(' ').toSorted()])
    const [first, second] = [decodeJwt(tokens.id_token), decodeJwt(body.id_token)]
    expect([second.sub, second.auth_time]).toEqual([first.sub, first.auth_time])
    expect((await agent.refresh(body.refresh_token)).status).toBe(200)
    expect(await sql('SELECT count(*)::int AS count, max(expires_at) AS expires FROM oidc_grant')).toEqual(before)
    // Less than was allowed needs no page either.
    expect((await agent.redeem(await silent(person, agent, { scope: 'openid' }))).body.scope).toBe('openid')
  })

  test('with a hint of the person gets a code, and with the hint of another person none', async () => {
    const agent = integration('sync')
    const { person, tokens } = await allowed(agent)
    const { tokens: ofOther } = await allowed(agent, { who: others })
    expect((await silent(person, agent, { id_token_hint: tokens.id_token })).searchParams.get('code')).toBeTruthy()
    await expectRefusal(person, agent, 'login_required', { id_token_hint: ofOther.id_token })
  })

  test('never grants a scope that the person has refused', async () => {
    const agent = integration('sync')
    const { person } = await allowed(agent, { scopes: ['openid'] })
    const { body } = await agent.redeem(await silent(person, agent))
    expect(body.scope).toBe('openid')
    await expectRefusal(person, agent, 'access_denied', { scope: 'courses:read' })
  })

  test('is bound to the grant: a replayed code and a revocation end both, and nothing is silent afterwards', async () => {
    const agent = integration('sync')
    const { person, tokens } = await allowed(agent)
    const redirect = await silent(person, agent)
    const { body } = await agent.redeem(redirect)
    expect((await agent.redeem(redirect, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
    for (const token of [tokens.refresh_token, body.refresh_token]) expect((await agent.refresh(token)).body.error).toBe('invalid_grant')
    await expectRefusal(person, agent, 'consent_required')
  })

  test('without prompt=none the person is asked every time', async () => {
    const agent = integration('sync')
    const { person } = await allowed(agent)
    const page = await person.open(agent.authorizationUrl({ scope }).href)
    expect([page.leftFor, page.status]).toEqual([undefined, 200])
    const wrong = await person.open(agent.authorizationUrl({ scope, prompt: 'none consent' }).href)
    expect(wrong.leftFor?.searchParams.get('error')).toBe('invalid_request')
  })

  describe('gives no code', () => {
    test('before anybody signed in, after the sign-out, and if the sign-in is too old', async () => {
      const agent = integration('sync')
      const { person } = await allowed(agent)
      await expectRefusal(personCalled(email), agent, 'login_required')
      await expectRefusal(person, agent, 'login_required', { max_age: '0' })
      const page = await person.open(`${service.issuer}/oauth/logout`)
      const { address, fields } = fieldsOf(page, /confirm$/)
      fields.set('logout', 'yes')
      await sendAs(person, address, { fields })
      await expectRefusal(person, agent, 'login_required')
    })

    test('to an integration that the person has not allowed anything at this school', async () => {
      const { person } = await allowed(integration('page'))
      // Another person has allowed it, and the same person at another school.
      await allowed(integration('sync'), { who: others })
      await allowed(integration('sync', service.other))
      await expectRefusal(person, integration('sync'), 'consent_required')
    })

    test('for another scope or another resource than the person was asked for', async () => {
      const agent = integration('sync')
      const { person } = await allowed(agent, { parameters: { resource: service.issuer } })
      expect((await silent(person, agent, { resource: service.issuer })).searchParams.get('code')).toBeTruthy()
      await expectRefusal(person, agent, 'consent_required', { resource: service.issuer, scope: `${scope} courses:write` })
      await expectRefusal(person, agent, 'consent_required', { resource: `${service.issuer}/mcp` })
      await expectRefusal(person, agent, 'consent_required')
    })

    test.each([
      ['revoked', "UPDATE oidc_grant SET revoked_at = now() WHERE client_id = 'sync'"],
      ['expired', "UPDATE oidc_grant SET expires_at = now() WHERE client_id = 'sync'"],
    ])('when the grant is %s', async (_what, statement) => {
      const agent = integration('sync')
      const { person } = await allowed(agent)
      await sql(statement)
      await expectRefusal(person, agent, 'consent_required')
    })

    test('to an account that was disabled', async () => {
      const agent = integration('sync')
      const { person } = await allowed(agent)
      const set = (value: string) => sql(`UPDATE account SET disabled_at = ${value} WHERE email = $1`, [email])
      await set('now()')
      await expectRefusal(person, agent, 'login_required')
      await set('NULL')
    })

    test('to an app that any program can imitate: a self-registered one, and an integration with an address on this computer', async () => {
      const own = await createAgent(service.issuer)
      await expectRefusal((await allowed(own)).person, own, 'interaction_required')
      const installed = integration('installed')
      await expectRefusal((await allowed(installed)).person, installed, 'interaction_required')
    })

    test.each(['self', 'document', 'service'])('to an app with an https address that was registered as %s', async (via) => {
      const agent = integration('page')
      const { person } = await allowed(agent)
      const set = (value: string) => sql("UPDATE oidc_client SET registered_via = $1 WHERE id = 'page'", [value])
      await set(via)
      await expectRefusal(person, agent, 'consent_required')
      await set('operator')
      expect((await silent(person, agent)).searchParams.get('code')).toBeTruthy()
      await set('file')
    })
  })
})
