import { beforeAll, describe, expect, test } from 'vitest'
import { agentOf, createAgent, get, personCalled, withToken } from '../../support/agent.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startService } from '../../support/service.ts'

const service = duringTests(() => startService({ schools: 2, people: [{ email: 'learner@example.org' }] }))
const first = duringTests(() => createAgent(service.issuer))
const second = duringTests(() => createAgent(service.other))
beforeAll(async () => {
  await service.addPerson({ email: 'learner@example.org', school: service.other })
  await service.addPerson({ email: 'only@example.org' })
})

const learner = () => personCalled('learner@example.org')

describe('a school is a tenant: nothing of one opens anything of the other (D19)', () => {
  test('each has its own issuer, keys and documents', async () => {
    const [one, two] = await Promise.all(
      [service.issuer, service.other].map(async (issuer) => (await get(`${issuer}/.well-known/openid-configuration`)).body),
    )
    expect([one.issuer, two.issuer]).toEqual([service.issuer, service.other])
    expect(JSON.stringify(two)).not.toContain(service.issuer)
    const [oneKeys, twoKeys] = await Promise.all(
      [one, two].map(async (metadata) => (await get(metadata.jwks_uri)).body.keys.map(({ kid }: { kid: string }) => kid)),
    )
    expect(oneKeys.filter((kid: string) => twoKeys.includes(kid))).toEqual([])
  })

  test('a client of one is unknown to the other', async () => {
    const stray = agentOf(service.other, first.clientId, undefined, first.redirectUri)
    expect((await get(stray.authorizationUrl().href)).status).toBe(400)
    expect(await stray.refresh('x')).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('a code of one is nothing at the other', async () => {
    const redirect = await first.send(learner())
    expect(await second.redeem(redirect, { code_verifier: first.verifier })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
    expect((await first.redeem(redirect)).status).toBe(200)
  })

  test('tokens of one are 401, invalid_grant and inactive at the other', async () => {
    const { body } = await first.tokens(learner())
    for (const path of ['/api/v1/account', '/api/v1/courses', '/api/oauth/userinfo']) {
      expect((await withToken(service.other + path, body.access_token)).status).toBe(401)
    }
    expect((await second.refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await second.post('/api/oauth/introspect', { token: body.access_token })).body).toEqual({ active: false })
    expect((await second.post('/api/oauth/revoke', { token: body.access_token })).status).toBe(200)
    expect((await withToken(`${service.issuer}/api/v1/account`, body.access_token)).status).toBe(200)
  })

  test('an account of one does not sign in at the other', async () => {
    await expect(second.send(personCalled('only@example.org'))).rejects.toThrow(/did not end/)
    expect((await first.send(personCalled('only@example.org'))).searchParams.get('code')).toBeTruthy()
  })

  test('a session cookie of one school is not accepted at the other', async () => {
    const person = learner()
    await first.send(person)
    const page = await person.open(second.authorizationUrl().href)
    expect(page.html).toContain('type="password"')
  })

  test('an interaction of one is unknown at the other', async () => {
    const person = learner()
    const page = await person.open(first.authorizationUrl().href)
    const stray = await person.open(page.url.href.replace(service.issuer, service.other))
    expect(stray.status).toBe(400)
  })

  test('a resource of one cannot be named at the other', async () => {
    const { headers } = await get(second.authorizationUrl({ resource: service.issuer }).href)
    expect(headers.get('location')).toContain('error=invalid_target')
  })

  test('an unknown host is 421, and names no school', async () => {
    const { request } = await import('node:http')
    const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const asked = request(`${service.issuer}/.well-known/openid-configuration`, { headers: { host: 'evil.example' } }, (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
      })
      asked.on('error', reject).end()
    })
    expect(answer.status).toBe(421)
    expect(JSON.parse(answer.text).error).toBe('misdirected_request')
    expect(answer.text).not.toContain('127.0.0.1')
  })
})

describe('a registered integration', () => {
  const integration = {
    client_id: 'reports',
    client_name: 'Reports',
    redirect_uris: ['https://reports.example.com/callback'],
    token_endpoint_auth_method: 'none',
  }

  test('is live when its file is taken over, and ends when it is taken out, while everybody stays signed in', async () => {
    const own = await startService()
    try {
      await own.addPerson({ email: 'learner@example.org' })
      const agent = await createAgent(own.issuer)
      const person = learner()
      const { body: kept } = await agent.tokens(person)
      const client = agentOf(own.issuer, 'reports', undefined, 'https://reports.example.com/callback')
      expect((await get(client.authorizationUrl().href)).status).toBe(400)

      await own.reload({ school: { integrations: [integration] } })
      const page = await person.open(client.authorizationUrl().href)
      expect(page.html).not.toContain('type="password"')
      const redirect = await client.send(person)
      expect(redirect.origin).toBe('https://reports.example.com')
      const { body: tokens } = await client.redeem(redirect)
      expect((await withToken(`${own.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)

      await own.reload({ school: { integrations: [integration] } })
      expect((await withToken(`${own.issuer}/api/v1/account`, tokens.access_token)).status).toBe(200)

      await own.reload({ school: { integrations: [] } })
      expect((await get(client.authorizationUrl().href)).status).toBe(400)
      expect((await withToken(`${own.issuer}/api/v1/account`, tokens.access_token)).status).toBe(401)
      expect((await withToken(`${own.issuer}/api/v1/account`, kept.access_token)).status).toBe(200)
      expect((await agent.refresh(kept.refresh_token)).status).toBe(200)
    } finally {
      await own.stop()
    }
  })
})
