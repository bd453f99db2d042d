import { expect } from 'vitest'
import { createAgent, get, personCalled, withToken } from '../../test/support/agent.ts'
import type { TestService } from '../../test/support/service.ts'

/** Returns the status of a request to the API with a token. */
const accountStatus = async (issuer: string, token: string): Promise<number> => (await withToken(`${issuer}/api/v1/account`, token)).status

/** Registers a client, signs a person in, refreshes and revokes: each step with the response that it must have. */
export async function completeJourney(service: TestService, issuer: string, email: string): Promise<void> {
  expect((await get(`${issuer}/api/v1/courses`)).status).toBe(200)
  const agent = await createAgent(issuer)
  const { status, body: first } = await agent.tokens(personCalled(email))
  expect(status).toBe(200)
  expect(await accountStatus(issuer, first.access_token)).toBe(200)
  const { status: refreshed, body: second } = await agent.refresh(first.refresh_token)
  expect(refreshed).toBe(200)
  expect((await agent.post('/api/oauth/introspect', { token: second.access_token })).body.active).toBe(true)
  expect((await agent.post('/api/oauth/revoke', { token: second.refresh_token })).status).toBe(200)
  for (const token of [first.access_token, second.access_token]) expect(await accountStatus(issuer, token)).toBe(401)
  expect((await agent.refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  expect(service.log()).not.toMatch(/"level":(?:50|60)/)
}
