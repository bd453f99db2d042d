import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createAdmin } from '../../../src/base/http/admin.ts'
import { isPrivateHost } from '../../../src/base/http/privateHost.ts'
import { createLog } from '../../../src/base/log/log.ts'

test.each([
  ...['127.0.0.1', '127.0.0.1:9464', '10.1.2.3:9464', '[::1]', '[fe80::1]:9464', 'localhost:9464', 'LOCALHOST', 'schoolgate:9464'],
  ...[
    'schoolgate.platform.svc',
    'schoolgate.platform.svc.cluster.local:9464',
    'ip-10-0-0-1.ec2.internal',
    'box.home.arpa.',
    'admin.example.com:1',
  ],
])('%s may call the private port', (host) => {
  expect(isPrivateHost(host, ['admin.example.com'])).toBe(true)
})

test.each([
  ...[
    'evil.test',
    'evil.test:9464',
    '127.0.0.1.evil.test',
    'localhost.evil.test',
    'svc.evil.test',
    'evil.svc.test',
    'evil.com.',
    '1.2.3.4.5',
  ],
  ...['admin.example.com.evil.test', 'xadmin.example.com', '127.0.0.1@evil.test', '[::1].evil.test', 'evil.test:local', 'evil.test:9464:1'],
])('%s may not: pages can let such a name lead to a private address', (host) => {
  expect(isPrivateHost(host, ['admin.example.com'])).toBe(false)
})

test('every path of the private port refuses a host name that a page can own, and logs it', async () => {
  const lines: string[] = []
  const admin = createAdmin({
    log: createLog('info', { write: (line) => void lines.push(line) }),
    hosts: ['admin.example.com'],
    readiness: async () => ({ status: 'ready', checks: {}, degraded: [] }),
    metrics: async () => ({ type: 'text/plain', text: 'figures' }),
    handlers: () => [async (ctx) => void Object.assign(ctx, { body: 'platform' })],
  })
  const server = createServer(admin.callback()).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const statusOf = async (path: string, host: string): Promise<number | undefined> => {
    const sent = request({ port, path, headers: { host }, agent: false })
    sent.end()
    const [response] = await once(sent, 'response')
    response.resume()
    return response.statusCode
  }
  try {
    for (const path of ['/livez', '/readyz', '/metrics', '/platform/v1/orders', '/operator/v1/commands', '/x']) {
      expect([path, await statusOf(path, `evil.test:${port}`)]).toEqual([path, 421])
      for (const host of [`127.0.0.1:${port}`, 'schoolgate', 'admin.example.com'])
        expect([path, host, await statusOf(path, host)]).toEqual([path, host, 200])
    }
    expect(lines).toHaveLength(6)
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 40, host: `evil.test:${port}`, msg: 'private port called by a foreign name' })
  } finally {
    server.close()
  }
})
