import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRedis, type RedisConnection } from '../../../src/database/redis/redis.ts'
import { type Agent, createAgent, personCalled } from '../../support/agent.ts'
import { availableServices, openTestDatabase, redisUrl } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { differences, type LaneProbe, type LaneReply, type ProbedHandler, probeHandler } from '../../support/laneProbes.ts'
import { startService, type TestService } from '../../support/service.ts'

const { redis: hasRedis } = await availableServices()
const email = 'learner@example.org'
const reports = 'https://reports.example.com'
const reportsSecret = 'plain-secret-of-the-resource-server-0123456789'
const [userinfoPath, introspectionPath] = ['/api/oauth/userinfo', '/api/oauth/introspect']

const integration = (clientId: string, secret: string) => ({
  client_id: clientId,
  client_name: clientId,
  redirect_uris: [`https://${clientId}.example.com/callback`],
  token_endpoint_auth_method: 'client_secret_post',
  secret_hash: `sha256:${createHash('sha256').update(secret).digest('base64url')}`,
})

describe.each([...(hasRedis ? [{ store: 'Redis', generated: 2000 }] : []), { store: 'the database alone', generated: 200 }])(
  'UserInfo and introspection with $store',
  ({ store, generated }) => {
    const held = duringTests(openTestDatabase)
    let redis: RedisConnection | undefined
    let service: TestService
    let handler: ProbedHandler
    let agent: Agent
    let other: Agent
    /** Tokens by what is special about them. */
    const tokens: Record<string, string> = {}

    const userinfo = (token: string, more: readonly string[] = []): LaneProbe => ({
      method: 'GET',
      path: userinfoPath,
      headers: ['authorization', `Bearer ${token}`, ...more],
    })
    const introspection = (form: Record<string, string>, more: readonly string[] = []): LaneProbe => ({
      method: 'POST',
      path: introspectionPath,
      headers: ['content-type', 'application/x-www-form-urlencoded', ...more],
      body: new URLSearchParams(form).toString(),
    })
    const own = (token: string): Record<string, string> => ({ token, client_id: agent.clientId, client_secret: agent.clientSecret ?? '' })

    beforeAll(async () => {
      if (store === 'Redis') {
        redis = createRedis(redisUrl, { onError: () => undefined })
        await redis.connect()
      }
      service = await startService({
        database: held.database,
        redis: redis ?? false,
        resources: {
          resource_servers: [{ identifier: reports, name: 'Reports', scopes: ['courses:read'], introspection_clients: ['reports-server'] }],
        },
        school: { integrations: [integration('reports-server', reportsSecret)] },
      })
      await service.addPerson({ email })
      await service.addPerson({ email: 'disabled@example.org' })
      const demoted = await service.addPerson({ email: 'demoted@example.org', role: 'admin' })
      const confidential = { token_endpoint_auth_method: 'client_secret_post' }
      agent = await createAgent(service.issuer, confidential)
      other = await createAgent(service.issuer, confidential)
      const ended = await createAgent(service.issuer, confidential)
      const paused = await createAgent(service.issuer, confidential)
      const left = await createAgent(service.issuer, confidential)
      const tokenOf = async (of: Agent, parameters = {}, address = email): Promise<string> =>
        (await of.tokens(personCalled(address), parameters)).body.access_token
      const everyScope = { scope: 'openid profile email school:read courses:read account:read' }
      const one = await agent.tokens(personCalled(email), everyScope)
      Object.assign(tokens, {
        valid: one.body.access_token,
        refresh: one.body.refresh_token,
        little: await tokenOf(agent, { scope: 'openid' }),
        profile: await tokenOf(agent, { scope: 'email openid profile' }),
        withoutOpenid: await tokenOf(agent, { scope: 'courses:read' }),
        forIssuer: await tokenOf(agent, { resource: service.issuer }),
        forMcp: await tokenOf(agent, { resource: `${service.issuer}/mcp` }),
        forReports: await tokenOf(agent, { resource: reports, scope: 'openid courses:read' }),
        ofOther: await tokenOf(other),
        revoked: await tokenOf(agent),
        ofDisabledClient: await tokenOf(ended),
        ofPausedClient: await tokenOf(paused),
        ofPausedGrant: await tokenOf(left),
        ofDisabled: await tokenOf(agent, {}, 'disabled@example.org'),
        ofDemoted: await tokenOf(agent, { scope: 'openid members:read' }, 'demoted@example.org'),
        withClaims: await tokenOf(agent, { claims: JSON.stringify({ id_token: { auth_time: null } }) }),
      })
      handler = await probeHandler(service.app.handler, [userinfo(tokens.valid ?? ''), introspection(own(tokens.valid ?? ''))])
      // Used once, so that the process knows the rows as they were.
      for (const token of Object.values(tokens)) await handler.send(introspection(own(token)))
      await agent.post('/api/oauth/revoke', { token: tokens.revoked })
      const { kysely } = held.database
      await kysely.updateTable('account').set({ disabled_at: new Date() }).where('email', '=', 'disabled@example.org').execute()
      await kysely.deleteFrom('staff').where('person_id', '=', demoted.personId).execute()
      await kysely.updateTable('oidc_client').set({ disabled_at: new Date() }).where('id', '=', ended.clientId).execute()
      await kysely.updateTable('oidc_client').set({ paused_at: new Date() }).where('id', '=', paused.clientId).execute()
      await kysely.updateTable('oidc_grant').set({ paused_at: new Date() }).where('client_id', '=', left.clientId).execute()
      tokens.unknown = `${(tokens.valid ?? '').slice(0, -3)}abc`
    })
    afterAll(async () => {
      await handler.close()
      await service.stop()
      await redis?.close()
    })

    /** Sends the probe both ways. Returns what differs, and the response to the probe as it is. */
    const compare = async (probe: LaneProbe): Promise<{ differing: string[]; reply: LaneReply }> => {
      const [reply, around] = [await handler.send(probe), await handler.sendAround(probe)]
      if (around.isFromLane) throw new Error('the lane answered a request that had to go around it')
      return { differing: differences(reply, around), reply }
    }

    test('get the same response from the lane as from the pipeline for every kind of token', async () => {
      const seen: string[] = []
      for (const [kind, token] of Object.entries(tokens)) {
        for (const [endpoint, probe] of [
          ['userinfo', userinfo(token)],
          ['introspection', introspection(own(token))],
          ['introspection by its resource server', introspection({ token, client_id: 'reports-server', client_secret: reportsSecret })],
        ] as const) {
          const { differing, reply } = await compare(probe)
          expect([kind, endpoint, ...differing]).toEqual([kind, endpoint])
          if (reply.isFromLane) seen.push(`${endpoint}: ${kind}`)
        }
      }
      expect(seen.sort()).toEqual([
        'introspection by its resource server: forReports',
        ...['forIssuer', 'forMcp', 'forReports', 'little', 'ofDemoted', 'profile', 'valid', 'withoutOpenid'].map(
          (kind) => `introspection: ${kind}`,
        ),
        ...['forIssuer', 'forMcp', 'little', 'ofDemoted', 'ofOther', 'profile', 'valid'].map((kind) => `userinfo: ${kind}`),
      ])
    })

    test(`get the same response both ways for ${generated} generated requests`, async () => {
      let fromLane = 0
      const mostly = <Value>(usual: Value, ...others: Value[]): fc.Arbitrary<Value> =>
        fc.oneof({ weight: 12, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
      const kind = fc.constantFrom('valid', 'valid', 'profile', 'forMcp', ...Object.keys(tokens))
      const moreHeaders = mostly<readonly string[]>(
        [],
        ['origin', 'https://app.example.com'],
        ['dpop', 'a.proof.x'],
        ['accept', 'text/html'],
        ['if-none-match', '*'],
        ['content-encoding', 'identity'],
        ['content-encoding', 'gzip'],
        ['x-forwarded-for', '203.0.113.7'],
        ['x-forwarded-host', 'elsewhere.example.com'],
        ['oauth-client-attestation', 'x'],
        ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
        ['cookie', 'a=b'],
        ['accept-language', 'de'],
        ['host', 'elsewhere.example.com'],
        ['user-agent', 'x'.repeat(300)],
      )
      const path = (exact: string) => mostly(exact, `${exact}?`, `${exact}?scope=openid`, `${exact}/`, exact.toUpperCase(), `/${exact}`)
      const toUserinfo = fc
        .record({
          kind,
          path: path(userinfoPath),
          method: mostly('GET', 'POST', 'HEAD', 'PUT', 'OPTIONS'),
          authorization: mostly<(token: string) => readonly string[]>(
            (token) => ['authorization', `Bearer ${token}`],
            () => [],
            (token) => ['authorization', `bearer   ${token}`],
            (token) => ['authorization', `DPoP ${token}`],
            (token) => ['authorization', `Bearer ${token} x`],
            (token) => ['authorization', `Bearer ${token}`, 'authorization', `Bearer ${token}`],
          ),
          body: mostly<string | undefined>(undefined, 'access_token=x', '{}'),
          moreHeaders,
        })
        .map(({ kind: of, path: to, method, authorization, body, moreHeaders: more }): LaneProbe => {
          const type = body === undefined ? [] : ['content-type', 'application/x-www-form-urlencoded']
          const probe = { method, path: to, headers: [...authorization(tokens[of] ?? ''), ...more, ...type] }
          return body === undefined ? probe : { ...probe, body }
        })
      const toIntrospection = fc
        .record({
          kind,
          path: path(introspectionPath),
          method: mostly('POST', 'GET', 'PUT'),
          type: mostly('application/x-www-form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-8', 'application/json'),
          credentials: mostly<() => string>(
            () => `client_id=${agent.clientId}&client_secret=${agent.clientSecret}`,
            () => `client_id=${other.clientId}&client_secret=${other.clientSecret}`,
            () => `client_id=reports-server&client_secret=${reportsSecret}`,
            () => `client_id=${agent.clientId}&client_secret=${agent.clientSecret}x`,
            () => `client_id=${agent.clientId}`,
            () => `client_id=nobody&client_secret=${agent.clientSecret}`,
            () => `client_id=${agent.clientId}&client_secret=`,
            () => `client_id=${agent.clientId}&client_id=${agent.clientId}&client_secret=${agent.clientSecret}`,
            () => 'client_assertion=a.b.c&client_assertion_type=x',
            () => '',
          ),
          more: mostly(
            '',
            '&token_type_hint=access_token',
            '&token_type_hint=refresh_token',
            '&token_type_hint=x',
            '&token=twice',
            '&scope=openid',
            '&%74oken=x',
            '&',
            '&é',
          ),
          prefix: mostly('token=', 'token=%20', 'Token=', 'token='),
          moreHeaders,
        })
        .map(
          ({ kind: of, path: to, method, type, credentials, more, prefix, moreHeaders: headers }): LaneProbe => ({
            ...{ method, path: to, headers: ['content-type', type, ...headers] },
            body: `${credentials()}&${prefix}${(tokens[of] ?? '').replaceAll('~', '%7E')}${more}`,
          }),
        )
      await fc.assert(
        fc.asyncProperty(fc.oneof(toUserinfo, toIntrospection), async (probe) => {
          const { differing, reply } = await compare(probe)
          if (reply.isFromLane) fromLane += 1
          expect(differing).toEqual([])
        }),
        { numRuns: generated, endOnFailure: true },
      )
      expect(fromLane).toBeGreaterThan(generated / 10)
    })

    test('have the same line in the log both ways', async () => {
      const lineOf = async (send: ProbedHandler['send'], probe: LaneProbe): Promise<unknown> => {
        const before = service.log().length
        await send(probe)
        await expect.poll(() => service.log().slice(before)).toContain('"operation":"oauth.')
        const { time, request_id, milliseconds, ...line } = JSON.parse(service.log().slice(before).trim().split('\n').at(-1) ?? '')
        return line
      }
      for (const probe of [userinfo(tokens.valid ?? ''), introspection(own(tokens.valid ?? ''))]) {
        expect((await handler.send(probe)).isFromLane).toBe(true)
        expect(await lineOf(handler.send, probe)).toEqual(await lineOf(handler.sendAround, probe))
      }
    })

    test('a difference in status, one header or one byte of the body is found', async () => {
      const { reply } = await compare(userinfo(tokens.valid ?? ''))
      const planted: LaneReply[] = [
        { ...reply, status: 201 },
        { ...reply, headers: { ...reply.headers, planted: 'yes' } },
        { ...reply, headers: { ...reply.headers, 'content-type': 'application/json' } },
        { ...reply, body: `${reply.body} ` },
      ]
      expect(planted.map((one) => differences(reply, one).length)).toEqual([1, 1, 1, 1])
    })
  },
)
