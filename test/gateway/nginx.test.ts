import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png } from '../school/files/storageService.ts'
import { createAgent, get, personCalled, postJson } from '../support/agent.ts'
import { availableServices, throwawayPostgres } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { hasNginx, type Nginx, startNginx } from '../support/nginx.ts'
import { until } from '../support/poll.ts'
import { createHome, freePort, type Home, type ServiceProcess, startProcess } from '../support/process.ts'

const isRunnable = (await availableServices()).postgresql && (await hasNginx())
const unlimited = { requests: 1_000_000, window_seconds: 1 }

describe.runIf(isRunnable)('two processes behind the nginx file of deploy/', () => {
  let home: Home
  const database = duringTests(() => throwawayPostgres())
  let nginx: Nginx
  let issuer: string
  let plainPort: number
  let token: string
  const ports: number[] = []
  const processes: ServiceProcess[] = []
  const start = (index: number): Promise<ServiceProcess> =>
    startProcess({ home, port: ports[index] as number, environment: { DATABASE_URL: database.url, DEMO: 'on' } })

  beforeAll(async () => {
    const port = await freePort()
    plainPort = await freePort()
    issuer = `https://127.0.0.1:${port}`
    home = await createHome({
      issuer,
      server: {
        drain_seconds: 1,
        trusted_proxies: ['loopback'],
        rate_limits: Object.fromEntries(
          ['anonymous', 'page', 'mcp', 'anonymous_per_network', 'registration'].map((name) => [name, unlimited]),
        ),
      },
    })
    const school = await readFile(join(home.config, 'schools/demo.yaml'), 'utf8')
    await writeFile(join(home.config, 'schools/second.yaml'), school.replace('127.0.0.1', 'localhost'))
    ports.push(await freePort(), await freePort())
    nginx = await startNginx({ port, plainPort, upstreams: ports })
    // The first start fills the demo.
    processes.push(await start(0))
    processes.push(await start(1))
    const agent = await createAgent(issuer)
    const scope = 'openid courses:read courses:write storage:write'
    const { body } = await agent.tokens(personCalled('owner@example.com'), { scope }, { scopes: 'all' })
    token = body.access_token
  })
  afterAll(async () => {
    for (const service of processes) await service.kill()
    await nginx?.stop()
    await home?.remove()
  })

  const api = (path: string, init: RequestInit = {}): Promise<Response> =>
    fetch(path.startsWith('http') ? path : issuer + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...init.headers },
    })

  test('a sign-in through it led to a token, and unencrypted requests are sent to https', async () => {
    expect(token).toMatch(/./)
    const { status, headers } = await get(`http://127.0.0.1:${plainPort}/oauth/authorize?client_id=x`)
    expect([status, headers.get('location')]).toEqual([308, 'https://127.0.0.1/oauth/authorize?client_id=x'])
    const pages = await get(`${issuer}/account/sign-in`, { 'accept-encoding': 'gzip' })
    expect([pages.status, pages.headers.get('content-encoding')]).toEqual([200, null])
  })

  test('a list is compressed and keeps a tag that is answered with 304', async () => {
    const list = await get(`${issuer}/api/v1/courses`, { 'accept-encoding': 'gzip' })
    expect([list.status, list.headers.get('content-encoding'), list.body.data.length > 0]).toEqual([200, 'gzip', true])
    const etag = list.headers.get('etag') as string
    expect((await get(`${issuer}/api/v1/courses`, { 'accept-encoding': 'gzip', 'if-none-match': etag })).status).toBe(304)
  })

  test('a change with the tag that it weakened succeeds once, and is 412 for the version before', async () => {
    const description = 'A long text that is worth compressing. '.repeat(100)
    const created = await api('/api/v1/courses', { method: 'POST', body: JSON.stringify({ title: 'Glazing', description }) })
    const { id } = (await created.json()) as { id: string }
    const etag = (await api(`/api/v1/courses/${id}`)).headers.get('etag') as string
    expect(etag).toMatch(/^W\//)
    const change = (subtitle: string) =>
      api(`/api/v1/courses/${id}`, { method: 'PATCH', body: JSON.stringify({ subtitle }), headers: { 'if-match': etag } })
    expect((await change('first')).status).toBe(200)
    expect((await change('second')).status).toBe(412)
  })

  test('a file goes up through it and comes down in parts', async () => {
    const announced = { filename: 'kiln.png', content_type: 'image/png', purpose: 'image', byte_size: png.length }
    const answer = await api('/api/v1/storage/uploads', { method: 'POST', body: JSON.stringify(announced) })
    expect(answer.status, await answer.clone().text()).toBe(201)
    const { upload } = (await answer.json()) as { upload: { url: string; headers: Record<string, string> } }
    expect(upload.url.startsWith(issuer)).toBe(true)
    const put = await fetch(upload.url, { method: 'PUT', body: new Uint8Array(png), headers: upload.headers })
    const file = (await put.json()) as { url: string }
    expect([put.status < 300, file.url.startsWith(issuer)]).toEqual([true, true])
    const part = await fetch(file.url, { headers: { range: 'bytes=1-3' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, `bytes 1-3/${png.length}`, 'PNG'])
  })

  test('an MCP client lists tools', async () => {
    const { status, body } = await postJson(
      `${issuer}/mcp`,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { accept: 'application/json, text/event-stream' },
    )
    expect([status, JSON.stringify(body).includes('list_courses')]).toEqual([200, true])
  })

  test('the host chooses the school, and an unknown one is 421', async () => {
    const { port } = new URL(issuer)
    const metadata = '/.well-known/oauth-authorization-server'
    const ask = (host: string): Promise<Sent> => send(`${issuer}${metadata}`, { headers: { host } })
    expect(JSON.parse((await ask(`127.0.0.1:${port}`)).text).issuer).toBe(issuer)
    expect(JSON.parse((await ask(`localhost:${port}`)).text).issuer).toBe(`https://localhost:${port}`)
    expect((await ask('elsewhere.example.com')).status).toBe(421)
  })

  test("the address in the log is the caller's, found through X-Forwarded-For and trusted_proxies", async () => {
    const id = `address-${process.hrtime.bigint()}`
    await get(`${issuer}/api/v1/courses`, { 'x-forwarded-for': '203.0.113.7', 'x-request-id': id })
    const find = (): string | undefined => processes.flatMap(({ output }) => output().split('\n')).find((line) => line.includes(id))
    const line = await until(find, { what: 'the request to be logged' })
    // nginx appends the loopback address, which is trusted here, so the caller is the one before it.
    expect(JSON.parse(line).address).toBe('203.0.113.7')
  })

  test('restarting one process after the other under load loses no request', async () => {
    const lost: string[] = []
    let [isOver, sent] = [false, 0]
    const load = async (agent: Agent): Promise<void> => {
      while (!isOver) {
        const reply = await send(`${issuer}/api/v1/coupons/validate`, { method: 'POST', agent, body: '{"code":"NONE"}' }).catch(String)
        sent += 1
        if (typeof reply === 'string' || reply.status >= 500) lost.push(typeof reply === 'string' ? reply : `${reply.status} ${reply.text}`)
      }
    }
    const kept = new Agent({ keepAlive: true })
    const loops = Array.from({ length: 6 }, (_, index) => load(index % 2 === 0 ? kept : new Agent()))
    try {
      for (const index of [0, 1]) {
        expect(await processes[index]?.stop()).toBe(0)
        const restarted = await start(index)
        processes[index] = restarted
        // The next one may stop when nginx uses this one again.
        await until(() => restarted.output().includes('/coupons/validate'), { what: 'nginx to use the process again' })
      }
    } finally {
      isOver = true
      await Promise.all(loops)
      kept.destroy()
    }
    expect(sent).toBeGreaterThan(50)
    expect(lost, await nginx.errors()).toEqual([])
  })
})

interface Sent {
  status: number
  text: string
}

async function send(
  address: string,
  { method = 'GET', headers = {}, agent, body }: { method?: string; headers?: Record<string, string>; agent?: Agent; body?: string },
): Promise<Sent> {
  const sent = request(address, {
    method,
    agent,
    servername: 'localhost',
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
  })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, text: await text(response) }
}
