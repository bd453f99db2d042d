import { appendFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openDatabase } from '../../src/database/connection/openDatabase.ts'
import { png } from '../school/files/storageService.ts'
import { type Agent, type Answer, createAgent, get, personCalled, postJson, withToken } from '../support/agent.ts'
import { startBucketServer } from '../support/bucketServer.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { startMailServer } from '../support/mailServer.ts'
import { hasNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type ServiceProcess, startProcess } from '../support/process.ts'
import { type ReadyGateway, startReadyGateway } from '../support/readyGateway.ts'
import { addPerson } from '../support/service.ts'
import { openTcpProxy, type TcpProxy } from '../support/tcpProxy.ts'
import { uploadFile } from '../support/uploadFile.ts'

const { postgresql, redis } = await availableServices()
const scope = 'openid account:read courses:read courses:write storage:write'

/** A server behind a proxy that the test opens and closes. */
interface Away {
  port: number
  give(): Promise<void>
  take(): Promise<void>
}

async function behindProxy(address: string): Promise<Away> {
  const { hostname: host, port: text } = new URL(address)
  const port = await freePort()
  let proxy: TcpProxy | undefined
  return {
    port,
    async give() {
      proxy ??= await openTcpProxy(port, { host, port: Number(text || 6379) })
    },
    async take() {
      await proxy?.close()
      proxy = undefined
    },
  }
}

describe.runIf(postgresql && redis && (await hasNginx()))('two processes behind a gateway that follows readiness', () => {
  const undo: (() => Promise<unknown>)[] = []
  const processes: ServiceProcess[] = []
  const parts: Record<string, Away> = {}
  let [issuer, doesReceiverFail] = ['', false]
  let gateway: ReadyGateway
  let agent: Agent
  let tokens: { access_token: string; refresh_token: string }

  beforeAll(async () => {
    const database = await throwawayPostgres()
    undo.push(() => database.drop())
    const [bucket, mail] = [await startBucketServer(), await startMailServer()]
    undo.push(bucket.close, mail.close)
    const receiver = createServer((_request, response) => void response.writeHead(doesReceiverFail ? 500 : 200).end())
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    undo.push(async () => void receiver.close())
    parts.redis = await behindProxy(process.env.TEST_REDIS_URL ?? 'redis://127.0.0.1:6379')
    parts.storage = await behindProxy(bucket.endpoint)
    parts.mail = await behindProxy(mail.url)
    parts.webhooks = {
      port: 0,
      async give() {
        doesReceiverFail = false
      },
      async take() {
        doesReceiverFail = true
      },
    }
    for (const part of Object.values(parts)) await part.give()
    const port = await freePort()
    issuer = `https://127.0.0.1:${port}`
    const home = await createHome({ issuer, server: { trusted_proxies: ['loopback'] } })
    undo.push(() => home.remove())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const webhooks = [{ name: 'records', url, types: ['security.client.registered'], secrets: ['env:HOOK'] }]
    await appendFile(join(home.config, 'schools/demo.yaml'), stringify({ webhook_private_hosts: ['127.0.0.1'], webhooks }))
    const ports = [await freePort(), await freePort()]
    for (const own of ports)
      processes.push(
        await startProcess({
          home,
          port: own,
          environment: {
            DATABASE_URL: database.url,
            REDIS_URL: `redis://127.0.0.1:${parts.redis?.port}`,
            STORAGE_URL: `s3://files?endpoint=${encodeURIComponent(`http://127.0.0.1:${parts.storage?.port}`)}`,
            AWS_ACCESS_KEY_ID: 'test',
            AWS_SECRET_ACCESS_KEY: 'test',
            SMTP_URL: `smtp://127.0.0.1:${parts.mail?.port}`,
            MAIL_FROM: 'school@example.com',
            HOOK: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
            DEMO: 'off',
          },
        }),
      )
    undo.push(async () => {
      for (const service of processes) await service.kill()
    })
    gateway = await startReadyGateway(
      port,
      processes.map(({ admin }, index) => ({ admin, port: ports[index] as number })),
    )
    undo.push(() => gateway.stop())
    const store = await openDatabase({ databaseUrl: database.url, dataDirectory: tmpdir(), poolSize: 1 })
    const [{ id } = { id: '' }] = await store.sql.query<{ id: string }>('SELECT id FROM school')
    await addPerson(store, id, 'owner@example.com', 'owner')
    await store.close()
    await until(async () => (await readiness()).every(({ body }) => body.status === 'ready'), { what: 'every part to be there' })
    await signIn()
  })
  afterEach(async () => {
    for (const part of Object.values(parts)) await part.give()
  })
  afterAll(async () => {
    for (const step of undo.reverse()) await step()
  })

  async function signIn(): Promise<void> {
    const created = await createAgent(issuer)
    const { status, body } = await created.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
    expect(status).toBe(200)
    ;[agent, tokens] = [created, body]
  }
  const readiness = (): Promise<Answer[]> => Promise.all(processes.map(({ admin }) => get(`${admin}/readyz`)))
  const isDegraded = async (part: string): Promise<boolean> => (await readiness()).every(({ body }) => body.degraded.includes(part))

  const document = (): Promise<Answer> => get(`${issuer}/.well-known/oauth-authorization-server`)
  const visitor = (): Promise<Answer> => get(`${issuer}/api/v1/courses`)
  const page = (): Promise<Answer> => get(`${issuer}/account/sign-in`, { accept: 'text/html' })
  const account = (): Promise<Answer> => withToken(`${issuer}/api/v1/account`, tokens.access_token)
  const write = (): Promise<Answer> =>
    postJson(`${issuer}/api/v1/courses`, { title: 'Glaze' }, { authorization: `Bearer ${tokens.access_token}` })
  const refresh = async (): Promise<Answer> => {
    const own = agent
    const reply = await own.refresh(tokens.refresh_token)
    // Another sign-in may have come in between.
    if (reply.status === 200 && own === agent) tokens = reply.body
    return reply
  }
  const upload = (): Promise<string> =>
    uploadFile(issuer, tokens.access_token, png).then(
      () => 'stored',
      ({ message }: Error) => message,
    )
  const register = (): Promise<Answer> => postJson(`${issuer}/api/oauth/register`, { redirect_uris: ['http://127.0.0.1:53682/callback'] })

  test.each<[part: string, going: Record<string, () => Promise<Answer>>, also: () => Promise<unknown>]>([
    ['storage', { document, visitor, page, account, write, refresh }, async () => expect(await upload()).toContain('503')],
    ['redis', { document, visitor }, async () => expect((await refresh()).status).toBe(503)],
    ['mail', { document, visitor, page, account, write, refresh }, async () => expect(await upload()).toBe('stored')],
    ['webhooks', { document, visitor, page, account, write, refresh }, async () => expect(await upload()).toBe('stored')],
  ])('serve on without %s: no request that does not need it fails', async (part, going, also) => {
    const failures: string[] = []
    const counts = new Map(Object.keys(going).map((name) => [name, 0]))
    let isOver = false
    const loops = Object.entries(going).map(async ([name, work]) => {
      while (!isOver) {
        const reply = await work().catch((error: Error) => ({ status: 0, body: `${error.message} ${String(error.cause ?? '')}` }))
        counts.set(name, (counts.get(name) ?? 0) + 1)
        if (![200, 201].includes(reply.status)) failures.push(`${name}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 200)}`)
      }
    })
    try {
      await parts[part]?.take()
      // Causes an e-mail and events.
      if (part === 'mail') await signIn()
      if (part === 'webhooks') for (let count = 0; count < 8; count += 1) expect((await register()).status).toBe(201)
      await until(() => isDegraded(part), { what: `both processes to report ${part}` })
      await also()
      const before = new Map(counts)
      await until(() => [...counts].every(([name, count]) => count >= (before.get(name) ?? 0) + 20), { what: 'more requests' })
      expect((await readiness()).map(({ status }) => status)).toEqual([200, 200])
    } finally {
      isOver = true
      await Promise.all(loops)
    }
    expect(failures).toEqual([])
    expect(gateway.removals()).toBe(0)
    await parts[part]?.give()
    if (part !== 'webhooks') await until(async () => !(await isDegraded(part)), { what: `${part} to be back` })
  })
})
