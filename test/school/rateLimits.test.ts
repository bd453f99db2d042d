import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { createLog } from '../../src/base/log/log.ts'
import { createCaches } from '../../src/base/process/caches.ts'
import type { Config } from '../../src/config/load.ts'
import { serverSchema } from '../../src/config/server.ts'
import { createRedis, type RedisConnection } from '../../src/database/redis/redis.ts'
import { defineResource } from '../../src/engine/declare/defineResource.ts'
import { everything } from '../../src/engine/declare/expressions.ts'
import { limitsOf } from '../../src/engine/operationLimits.ts'
import { createLimits, limited } from '../../src/operate/compose/rateLimits.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { availableServices, databasesToTest, throwawayRedis } from '../support/databases.ts'
import { startService } from '../support/service.ts'
import { allScopes, type DemoApi, type Reply, type SendOptions, startDemoApi } from './demoApi.ts'

const everyone = { anonymous: everything, learner: everything, lecturer: everything, staff: everything }

/** Made up: something that one could guess at, and something that moves many rows. */
const vouchers = defineResource({
  name: 'vouchers',
  object: 'voucher',
  idPrefix: 'vou',
  table: 'lecturer',
  about: 'What is given away.',
  scopes: { read: 'See vouchers', write: 'Change vouchers' },
  schema: z.object({ display_name: z.string().meta({ description: 'Name.', example: 'Ada' }) }),
  writable: ['display_name'],
  sorts: ['display_name'],
  exports: true,
  visibility: everyone,
  operations: { list: 'read', get: 'read', update: 'write' },
  collectionReads: {
    valid: {
      scope: 'read',
      summary: 'Ask for a code',
      isPublic: true,
      limit: 'guess',
      output: z.object({ valid: z.boolean().meta({ description: 'Whether there is one.', example: false }) }),
      run: async () => ({ valid: false }),
    },
  },
  collectionActions: {
    import: {
      scope: 'write',
      summary: 'Bring many',
      input: z.object({}),
      output: z.object({ made: z.int().meta({ description: 'How many.', example: 0 }) }),
      run: async () => ({ made: 0 }),
    },
  },
})

const operations = operationsIn([...resources, vouchers])
const scopes = [...allScopes, 'vouchers:read', 'vouchers:write']
const owner: SendOptions = { as: 'owner@example.com', scopes }
const admin: SendOptions = { as: 'admin1@example.com', scopes }
const base = '/api/v1/vouchers'
const csv = { accept: 'text/csv' }

test('the limits of an operation follow from its method, its address, its form, and what it says of itself', () => {
  const found = operations.filter(({ resource }) => resource === vouchers).map((one) => [one.id, limitsOf(one, 'json')])
  expect(Object.fromEntries(found)).toEqual({
    listVouchers: [],
    getVoucher: [],
    updateVoucher: ['write'],
    getVouchersValid: ['guess'],
    importVouchers: ['write', 'bulk'],
  })
  const [list] = operations.filter(({ id }) => id === 'listVouchers')
  expect(list && limitsOf(list, 'csv')).toEqual(['bulk'])
})

const { redis: hasRedis } = await availableServices()
const [embedded] = await databasesToTest()

describe.each(['the process', ...(hasRedis ? ['Redis'] : [])])('rate limits of the API, counted in %s', (where) => {
  let api: DemoApi
  let connection: RedisConnection | undefined
  let drop = async (): Promise<void> => {}
  beforeAll(async () => {
    if (where === 'Redis') {
      const throwaway = await throwawayRedis()
      connection = createRedis(throwaway.url, { onError: () => {} })
      await connection.connect()
      drop = throwaway.drop
    }
    const limits = createLimits({
      caches: createCaches(),
      config: {
        server: serverSchema.parse({ rate_limits: { write: { requests: 3 }, bulk: { requests: 2 }, guess: { requests: 2 } } }),
      } as Config,
      redis: connection,
      log: createLog('silent'),
      isLimited: true,
      passwordGate: (_caller, work) => work(),
      onRefused: () => undefined,
    })
    api = await startDemoApi(await (embedded as NonNullable<typeof embedded>).open(), operations, (authenticate) =>
      limited(authenticate, { limits, holderOf: () => undefined, together: (work) => work() }),
    )
  })
  afterAll(async () => {
    await api.stop()
    await connection?.close()
    await drop()
  })

  const times = async (count: number, ask: () => Promise<Reply>): Promise<Reply[]> => {
    const replies: Reply[] = []
    while (replies.length < count) replies.push(await ask())
    return replies
  }
  const last = (replies: Reply[]): Reply => replies.at(-1) as Reply

  test('a response names every policy of its request, and the state of the one that runs out first', async () => {
    const read = await api.get(base, owner)
    expect(read.headers.get('ratelimit-policy')).toBe('"default";q=600;w=60')
    expect(read.headers.get('ratelimit')).toMatch(/^"default";r=\d+;t=\d+$/)
    const visitor = await api.get(base)
    expect(visitor.headers.get('ratelimit-policy')).toBe('"anonymous";q=120;w=60, "anonymous_per_network";q=3000;w=60')
    const list = await api.get(base, { ...owner, headers: csv })
    expect(list.headers.get('ratelimit-policy')).toBe('"default";q=600;w=60, "bulk";q=2;w=60')
    expect(list.headers.get('ratelimit')).toMatch(/^"bulk";r=1;t=\d+$/)
  })

  test('writes have a separate limit for each person, which does not affect reads', async () => {
    const change = (as: SendOptions) => () => api.send(`${base}/vou_01jgwejj00e6srgkpqm2sqf05m`, { ...as, method: 'PATCH', body: {} })
    const refused = last(await times(4, change(admin)))
    expect(refused).toMatchObject({ status: 429, json: { error: 'rate_limited' } })
    expect(refused.headers.get('ratelimit')).toMatch(/^"write";r=0;t=\d+$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await api.get(base, admin)).status).toBe(200)
    expect((await change(owner)()).status).toBe(404)
  })

  test('bulk requests and exports share a limit for each person', async () => {
    const as = { as: 'admin2@example.com', scopes }
    expect((await api.send(`${base}/import`, { ...as, body: {} })).status).toBe(200)
    expect((await api.get(base, { ...as, headers: csv })).status).toBe(200)
    expect(await api.send(`${base}/import`, { ...as, body: {} })).toMatchObject({ status: 429 })
    expect((await api.get(base, as)).status).toBe(200)
  })

  test('guesses are counted by address and by person: neither another address nor signing in brings more tries', async () => {
    const guess = (from: string, as: Partial<SendOptions> = {}) => api.get(`${base}/valid`, { ...as, headers: { 'x-test-address': from } })
    const visitor = await times(3, () => guess('192.0.2.1'))
    expect(visitor.map(({ status }) => status)).toEqual([200, 200, 429])
    expect((await guess('192.0.2.1', owner)).status).toBe(429)
    const moving = [await guess('192.0.2.2', admin), await guess('192.0.2.3', admin), await guess('192.0.2.4', admin)]
    expect(moving.map(({ status }) => status)).toEqual([200, 200, 429])
  })

  test('visitors of one IPv6 network count as one', async () => {
    const guess = (from: string) => api.get(`${base}/valid`, { headers: { 'x-test-address': from } })
    const same = [await guess('2001:db8:0:7::1'), await guess('2001:db8:0:7:a:b:c:d'), await guess('2001:DB8::7:ffff:0:0:1')]
    expect(same.map(({ status }) => status)).toEqual([200, 200, 429])
    expect((await guess('2001:db8:0:8::1')).status).toBe(200)
  })
})

test('in the whole service: behind a gateway, IPv6 visitors are distinguished by their /64', async () => {
  const service = await startService({
    isLimited: true,
    server: { trusted_proxies: ['loopback'], rate_limits: { anonymous: { requests: 2 } } },
  })
  const from = async (address: string): Promise<number> =>
    (await fetch(`${service.issuer}/api/v1/courses`, { headers: { 'x-forwarded-for': address } })).status
  expect([await from('2001:db8::1'), await from('2001:db8::2'), await from('2001:db8:0:0:9::'), await from('2001:db8:0:1::1')]).toEqual([
    200, 200, 429, 200,
  ])
  await service.stop()
})

describe('visitors behind one address', () => {
  const anonymous = { requests: 3 }
  const mcpCall = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const statusOf = {
    page: (issuer: string, from: string) =>
      fetch(`${issuer}/courses`, { headers: { accept: 'text/html', 'x-forwarded-for': from } }).then(({ status }) => status),
    api: (issuer: string, from: string) =>
      fetch(`${issuer}/api/v1/courses`, { headers: { 'x-forwarded-for': from } }).then(({ status }) => status),
    mcp: (issuer: string, from: string) =>
      fetch(`${issuer}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-forwarded-for': from },
        body: JSON.stringify(mcpCall),
      }).then(({ status }) => status),
  }
  type Surface = keyof typeof statusOf

  test.each(['page', 'api', 'mcp'] as const)(
    'that use up the limit of the surface "%s" do not use up those of the others',
    async (surface: Surface) => {
      const service = await startService({
        isLimited: true,
        server: { trusted_proxies: ['loopback'], rate_limits: { anonymous, page: { requests: 3 }, mcp: { requests: 3 } } },
      })
      const found: number[] = []
      for (let count = 0; count < 5; count += 1) found.push(await statusOf[surface](service.issuer, '198.51.100.1'))
      expect(found).toEqual([200, 200, 200, 429, 429])
      for (const other of ['page', 'api', 'mcp'] as const)
        if (other !== surface) expect([other, await statusOf[other](service.issuer, '198.51.100.1')]).toEqual([other, 200])
      expect(await statusOf[surface](service.issuer, '198.51.100.2')).toBe(200)
      await service.stop()
    },
  )

  test('have a limit for their network over all surfaces', async () => {
    const service = await startService({
      isLimited: true,
      server: { trusted_proxies: ['loopback'], rate_limits: { anonymous_per_network: { requests: 6 } } },
    })
    const found: number[] = []
    for (let host = 1; host <= 8; host += 1)
      found.push(await statusOf[(['page', 'api', 'mcp'] as const)[host % 3] ?? 'api'](service.issuer, `198.51.100.${host}`))
    expect(found).toEqual([200, 200, 200, 200, 200, 200, 429, 429])
    expect(await statusOf.api(service.issuer, '198.51.101.1')).toBe(200)
    await service.stop()
  })
})

test('responses of a service without limits have no RateLimit headers, which would show an allowance that is never used', async () => {
  const service = await startService({ isLimited: false })
  try {
    const own = await createAgent(service.issuer)
    await service.addPerson({ email: 'wren@example.com', role: 'learner' })
    const { access_token: token } = (await own.tokens(personCalled('wren@example.com'), { scope: 'openid account:read courses:read' })).body
    const withToken = { authorization: `Bearer ${token}` }
    for (const [path, headers] of [
      ['/api/v1/courses', {}],
      ['/api/v1/courses', withToken],
      ['/api/v1/account', withToken],
      ['/api/v1/nothing', {}],
      ['/courses', { accept: 'text/html' }],
    ] as const) {
      const response = await fetch(service.issuer + path, { headers })
      const sent = [...response.headers.keys()].filter((name) => name.startsWith('ratelimit'))
      expect([path, response.status < 500, sent]).toEqual([path, true, []])
    }
    const mcp = await fetch(`${service.issuer}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    })
    expect([mcp.status, mcp.headers.get('ratelimit')]).toEqual([200, null])
  } finally {
    await service.stop()
  }
})
