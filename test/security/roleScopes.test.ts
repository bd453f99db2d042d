import { decodeJwt } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '../../src/base/caller.ts'
import { allScopes, createAgent, personCalled, withToken } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { fieldsOf, sendAs, toConsent } from './browsing.ts'

const every = allScopes.split(' ')

/** Scopes that no person of the role can grant to an app. Written out, because derived from the declarations it could not fail. */
const beyond: Record<Role, readonly string[]> = {
  owner: [],
  admin: [],
  lecturer: ['school:write', 'appearance:write', 'membership_plans:write', 'digital_products:write', 'pages:write'],
  learner: [
    'courses:write',
    'analytics:read',
    'curriculum:write',
    'school:write',
    'appearance:write',
    'membership_plans:write',
    'posts:write',
    'digital_products:write',
    'lecturers:write',
    'pages:write',
  ],
}

const roles = Object.keys(beyond) as Role[]
const emailOf = (role: Role): string => `${role}@example.com`

const service = duringTests(() => startService())
beforeAll(async () => {
  for (const role of roles) await service.addPerson({ email: emailOf(role), role })
})

describe.each(roles)('a person who is %s gets no scope beyond the role (D18)', (role) => {
  const email = emailOf(role)
  const permitted = every.filter((name) => !beyond[role].includes(name))

  test('each has a box or is struck out, as the role has it', async () => {
    const { html } = await toConsent(await createAgent(service.issuer), personCalled(email), { email, parameters: { scope: allScopes } })
    const boxes = [...html.matchAll(/name="scope" value="([^"]+)"/g)].map(([, name]) => name)
    const struck = [...html.matchAll(/<li class="struck" data-scope="([^"]+)">/g)].map(([, name]) => name)
    // openid is a fact on the page, which comes with Allow.
    expect(boxes.toSorted()).toEqual(permitted.filter((name) => name !== 'openid').toSorted())
    expect(struck.toSorted()).toEqual(beyond[role].toSorted())
  })

  test.each([
    ['the API', (issuer: string) => issuer],
    ['/mcp', (issuer: string) => `${issuer}/mcp`],
    ['no resource', () => undefined],
  ])(
    'a form that names them all gets the permitted ones: token, introspection, refresh and UserInfo, for %s',
    async (_what, resourceOf) => {
      const agent = await createAgent(service.issuer)
      const person = personCalled(email)
      const resource = resourceOf(service.issuer)
      const page = await toConsent(agent, person, { email, parameters: { scope: allScopes, resource } })
      const { address, fields } = fieldsOf(page, /consent$/)
      fields.delete('scope')
      for (const name of [...every, 'offline_access', 'admin', 'no:such', ' ', '*']) fields.append('scope', name)
      const resume = new URL((await sendAs(person, address, { fields })).headers.get('location') ?? '', service.issuer).href
      const redirect = new URL((await sendAs(person, resume)).headers.get('location') ?? '')
      const { body } = await agent.redeem(redirect, { resource })
      const names = (scope: unknown): string[] => String(scope).split(' ').toSorted()
      expect(names(body.scope)).toEqual(permitted.toSorted())
      const { body: introspected } = await agent.post('/api/oauth/introspect', { token: body.access_token })
      expect(names(introspected.scope)).toEqual(permitted.toSorted())
      expect(names((await agent.refresh(body.refresh_token)).body.scope)).toEqual(permitted.toSorted())
      const { body: claims } = await withToken(`${service.issuer}/api/oauth/userinfo`, body.access_token)
      expect([claims.sub, claims.email]).toEqual([decodeJwt(body.id_token).sub, email])
    },
  )

  test('unticked scopes are in none of them', async () => {
    const agent = await createAgent(service.issuer)
    const { body } = await agent.tokens(personCalled(email), { scope: allScopes }, { scopes: ['openid', 'courses:read'] })
    expect(body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
    const { body: introspected } = await agent.post('/api/oauth/introspect', { token: body.access_token })
    expect(introspected.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
    const { body: claims } = await withToken(`${service.issuer}/api/oauth/userinfo`, body.access_token)
    expect(Object.keys(claims)).toEqual(['sub'])
    const refreshed = await agent.refresh(body.refresh_token, { scope: allScopes })
    expect(refreshed.body.scope.split(' ').toSorted()).toEqual(['courses:read', 'openid'])
  })
})
