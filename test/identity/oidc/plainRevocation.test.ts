import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { type Agent, agentOf, createAgent, personCalled, withToken } from '../../support/agent.ts'
import { availableServices, redisUrl } from '../../support/databases.ts'
import { startService, type TestService } from '../../support/service.ts'

const { postgresql, redis: hasRedis } = await availableServices()
const email = 'learner@example.org'

interface Tokens {
  access_token: string
  refresh_token: string
}

interface Case {
  name: string
  metadata?: object
  /** Happens before the revocation. Returns the token to revoke instead of the refresh token, or who revokes it instead of its client. */
  before?(agent: Agent, tokens: Tokens): Promise<{ token?: string; by?: Agent } | undefined>
  isAccepted: boolean
  isRevoked: boolean
}

describe.runIf(postgresql && hasRedis)('a revocation in one statement', () => {
  let service: TestService
  let redis: RedisConnection
  beforeAll(async () => {
    redis = createRedis(redisUrl, { onError: () => undefined })
    await redis.connect()
    service = await startService({ redis })
    await service.addPerson({ email })
  })
  afterAll(async () => {
    await service.stop()
    await redis.close()
  })

  const withSecret = (agent: Agent, secret: string | undefined) => agentOf(agent.issuer, agent.clientId, secret, agent.redirectUri)
  const confidential = { token_endpoint_auth_method: 'client_secret_post' }
  const cases: Case[] = [
    { name: 'of a refresh token', isAccepted: true, isRevoked: true },
    {
      name: 'of a used refresh token',
      before: async (agent, { refresh_token: token }) => void (await agent.refresh(token)),
      isAccepted: true,
      isRevoked: true,
    },
    {
      name: 'of a revoked token',
      before: async (agent, { access_token: token }) => void (await agent.post('/api/oauth/revoke', { token })),
      isAccepted: true,
      isRevoked: true,
    },
    {
      name: 'of an unknown token of the same grant',
      before: async (_agent, { refresh_token: token }) => ({ token: `x${token.slice(1)}` }),
      isAccepted: true,
      isRevoked: false,
    },
    { name: 'by another client', before: async () => ({ by: await createAgent(service.issuer) }), isAccepted: true, isRevoked: false },
    { name: 'by a client with a secret', metadata: confidential, isAccepted: true, isRevoked: true },
    {
      name: 'with a wrong secret',
      metadata: confidential,
      before: async (agent) => ({ by: withSecret(agent, 'wrong') }),
      isAccepted: false,
      isRevoked: false,
    },
    {
      name: 'without the secret',
      metadata: confidential,
      before: async (agent) => ({ by: withSecret(agent, undefined) }),
      isAccepted: false,
      isRevoked: false,
    },
    {
      name: 'with a secret of a public client',
      metadata: { token_endpoint_auth_method: 'none' },
      before: async (agent) => ({ by: withSecret(agent, 'invented') }),
      isAccepted: false,
      isRevoked: false,
    },
    {
      name: 'by a client that was disabled just before',
      before: async ({ clientId }) =>
        void (await service.database.transaction((writer) =>
          writer.updateTable('oidc_client').set({ disabled_at: new Date() }).where('id', '=', clientId).execute(),
        )),
      isAccepted: false,
      isRevoked: true,
    },
  ]

  test.each(cases)(
    '$name gets the same response as from the engine, with the same effect',
    async ({ metadata, before, isAccepted, isRevoked }) => {
      const seen = []
      // The engine decides about a request with a parameter that it ignores.
      for (const more of [{}, { ignored: 'yes' }]) {
        const agent = await createAgent(service.issuer, metadata)
        // The process knows the client.
        await agent.post('/api/oauth/revoke', { token: (await agent.tokens(personCalled(email))).body.refresh_token })
        const tokens: Tokens = (await agent.tokens(personCalled(email))).body
        const { token = tokens.refresh_token, by = agent } = (await before?.(agent, tokens)) ?? {}
        const { status, body, headers } = await by.post('/api/oauth/revoke', { token, token_type_hint: 'refresh_token', ...more })
        const { status: call } = await withToken(`${service.issuer}/api/v1/account`, tokens.access_token)
        expect([status === 200, call]).toEqual([isAccepted, isRevoked ? 401 : 200])
        const audited = await service.database.sql.query<{ event: string; has_grant: boolean }>(
          `SELECT event, grant_id IS NOT NULL AS has_grant FROM audit_log WHERE client_id = $1 AND event LIKE 'token.re%' ORDER BY event`,
          [agent.clientId],
        )
        const own = [...headers].filter(([name]) => !['date', 'request-id'].includes(name))
        seen.push({ status, body: { ...body, request_id: '' }, headers: own, audited })
      }
      expect(seen[0]).toEqual(seen[1])
    },
  )
})
