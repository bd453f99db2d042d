import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Koa from 'koa'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createKeyring } from '../../src/base/keyring.ts'
import { createCsrf } from '../../src/pages/csrf.ts'

const [older, newer] = ['an older root secret', 'a newer root secret']
const server = createServer()
let base: string

/** Answers the token for `?subject`, or whether `?token` is good for it. */
function service(issuer: string, rootSecrets: string[]) {
  const csrf = createCsrf(createKeyring(rootSecrets))
  const app = new Koa()
  app.use((ctx) => {
    ctx.state.school = { id: '1', slug: 'demo', issuer }
    const { subject = '', token } = ctx.query as Record<string, string | undefined>
    ctx.body = token === undefined ? csrf.issue(ctx, subject) : String(csrf.isValid(ctx, subject, token))
  })
  return app.callback()
}

beforeAll(async () => {
  const apps = [
    service('https://school.example', [older]),
    service('https://school.example', [newer, older]),
    service('https://school.example', [newer]),
  ]
  server.on('request', (request, response) => apps[Number(request.headers['x-app'] ?? 0)]?.(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = async (query: Record<string, string>, headers: Record<string, string> = {}) => {
  const answer = await fetch(`${base}/?${new URLSearchParams(query)}`, { headers })
  return { text: await answer.text(), cookies: answer.headers.getSetCookie() }
}

describe('form tokens', () => {
  test('on https the cookie is one that neither a sibling host nor plain http can plant', async () => {
    const { cookies } = await ask({ subject: 'a' })
    expect(cookies).toEqual([expect.stringMatching(/^__Host-sg_browser=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/)])
    const [cookie = ''] = cookies[0]?.split(';') ?? []
    expect((await ask({ subject: 'b' }, { cookie })).cookies).toEqual([])
  })

  test('a token is valid for its browser and its subject, also after a rotation of the root secret', async () => {
    const { text: token, cookies } = await ask({ subject: 'a' })
    const [cookie = ''] = cookies[0]?.split(';') ?? []
    expect((await ask({ subject: 'a', token }, { cookie })).text).toBe('true')
    expect((await ask({ subject: 'a', token }, { cookie, 'x-app': '1' })).text).toBe('true')
    expect((await ask({ subject: 'a', token }, { cookie, 'x-app': '2' })).text).toBe('false')
    expect((await ask({ subject: 'b', token }, { cookie })).text).toBe('false')
    expect((await ask({ subject: 'a', token: '' }, { cookie })).text).toBe('false')
    expect((await ask({ subject: 'a', token })).text).toBe('false')
    expect((await ask({ subject: 'a', token }, { cookie: `__Host-sg_browser=${'x'.repeat(43)}` })).text).toBe('false')
  })

  test('a cookie of another shape is replaced, never signed', async () => {
    for (const value of ['', 'short', 'x'.repeat(44), `${'x'.repeat(42)} `]) {
      expect((await ask({ subject: 'a' }, { cookie: `__Host-sg_browser=${value}` })).cookies).toHaveLength(1)
    }
  })
})
