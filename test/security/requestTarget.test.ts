import { describe, expect, test } from 'vitest'
import { createAgent, get, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { requestBytes, sendRaw } from './rawHttp.ts'

const service = duringTests(() => startService({ people: [{ email: 'learner@example.org' }] }))

const ask = async (method: string, target: string, headers?: string[], body?: string) => {
  const [answer] = await sendRaw(service.issuer, requestBytes(method, target, service.issuer, headers, body), { quietMs: 10_000 })
  if (!answer) throw new Error(`no answer to ${method} ${target}`)
  return answer
}

const documents = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration/mcp',
  '/.well-known/oauth-protected-resource',
]

describe('the host of an absolute-form target is not believed (RFC 9112 section 3.2.2, D19)', () => {
  // Sent before all other requests, because these documents are created once and then cached.
  test.each(documents)('%s names only the issuer, for the first caller and for later ones', async (path) => {
    const first = await ask('GET', `http://evil.example${path}`)
    expect(first.status).toBe(200)
    expect(first.body).not.toContain('evil.example')
    expect((await get(service.issuer + path)).body).toEqual(JSON.parse(first.body))
  })

  test('an authorization and a sign-out that were asked for so stay at this service', async () => {
    const agent = await createAgent(service.issuer)
    const { pathname, search } = agent.authorizationUrl()
    const authorization = await ask('GET', `http://evil.example${pathname}${search}`, ['Accept: text/html'])
    expect(authorization.status).toBe(303)
    expect(authorization.head).not.toContain('evil.example')
    const signOut = await ask('GET', 'http://evil.example/oauth/logout', ['Accept: text/html'])
    expect(signOut.status).toBe(303)
    expect(signOut.head).not.toContain('evil.example')
  })

  test.each(['http://[', 'http://[::1', 'http://', 'http://evil.example:99999/oauth/authorize', 'ftp://evil.example/oauth/authorize', '*'])(
    'a target that is not a URL of this service, %s, is a JSON 404 with the headers of every response',
    async (target) => {
      const { status, head, body } = await ask('GET', target)
      expect(status).toBe(404)
      expect(JSON.parse(body).error).toBe('not_found')
      expect(head).toMatch(/^x-frame-options: DENY$/im)
      expect(head).toMatch(/^request-id: req_/im)
    },
  )
})

describe('no other spelling of a path bypasses our checks and reaches the engine', () => {
  const spellings = (path: string): string[] => [
    path.toUpperCase(),
    `${path}/`,
    `/${path}`,
    path.replace('/oauth', '/OAuth'),
    path.replace('/oauth', '/%6fauth'),
    path.replace('/oauth', '/x/../oauth'),
    path.replace('/oauth', '/x/%2e%2e/oauth'),
    `${path};x`,
    `${path}%00`,
    `${path}%20`,
    `${path}\\`,
  ]
  test.each(['/api/oauth/token', '/api/oauth/register', '/api/oauth/revoke', '/api/oauth/introspect', '/api/oauth/userinfo'])(
    '%s',
    async (path) => {
      for (const target of spellings(path)) {
        const { status, body } = await ask('POST', target, ['Content-Type: application/json'], '{"redirect_uris":["http://127.0.0.1:1/x"]}')
        expect([target, status, JSON.parse(body).error]).toEqual([target, 404, 'not_found'])
        // Where only slashes are too many, the error names the endpoint.
        if (target.replaceAll(/\/+/g, '/').replace(/\/$/, '') === path)
          expect(JSON.parse(body).error_description).toContain(service.issuer + path)
      }
    },
  )

  test.each(['/oauth/authorize', '/oauth/logout', '/oauth/logout/confirm', '/oauth/logout/success'])('%s', async (path) => {
    for (const target of spellings(path).filter((spelling) => spelling !== path)) {
      const { status, head } = await ask('GET', target, ['Accept: text/html'])
      expect([target, status]).toEqual([target, 404])
      expect(head).not.toMatch(/^set-cookie:/im)
    }
  })

  test('a document is itself with slashes too many, and under no other spelling', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-protected-resource/mcp', '/api/oauth/jwks', '/auth.md']) {
      const { body } = await ask('GET', path)
      for (const target of [`${path}/`, `/${path}`, `/${path}//`, `${path.replaceAll('/', '///')}/`, `/${path}/?v=1`]) {
        expect([target, await ask('GET', target)]).toMatchObject([target, { status: 200, body }])
        expect([target, (await ask('HEAD', target)).status]).toEqual([target, 200])
        expect([target, (await ask('POST', target)).status]).toEqual([target, 404])
      }
      for (const target of spellings(path).filter((one) => !/\/\/|\/$/.test(one) && one !== path && !one.includes('..')))
        expect([target, (await ask('GET', target)).status]).toEqual([target, 404])
    }
  })

  test('slashes too many lead nowhere else: neither to pages, nor to the API, nor to another host', async () => {
    for (const target of ['//account', '/account//apps', '//oauth/authorize', '//api/v1/courses', '/api/v1//courses', '//evil.example/x'])
      for (const method of ['GET', 'POST']) {
        const { status, head } = await ask(method, target)
        expect([method, target, status]).toEqual([method, target, 404])
        expect(head).not.toMatch(/^(?:location|set-cookie):/im)
      }
    const { status, head } = await ask('GET', '//evil.example/.well-known/openid-configuration')
    expect([status, head.includes('evil.example')]).toEqual([404, false])
  })

  test("the engine's own routes that are not ours are not there", async () => {
    for (const target of [
      '/api/oauth/register/cli_1',
      '/oauth/authorize/x/abort',
      '/device',
      '/request',
      '/session/end',
      '/token',
      '/auth',
      '/jwks',
      '/me',
      '/reg',
      '/oauth/authorize/..',
    ]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) expect([target, (await ask(method, target)).status]).toEqual([target, 404])
    }
  })
})

test('every address answers a method that it does not take with 405 or 404 and OPTIONS without a body, never with the engine (RFC 9110 section 15.5.6)', async () => {
  const paths = [
    '/api/oauth/token',
    '/api/oauth/register',
    '/api/oauth/revoke',
    '/api/oauth/introspect',
    '/oauth/authorize',
    '/oauth/logout',
    '/oauth/logout/confirm',
  ]
  for (const path of paths) {
    for (const method of ['PUT', 'DELETE', 'PATCH', 'TRACE', 'HEAD', 'PROPFIND']) {
      const { status, head } = await ask(method, path)
      expect([method, path, status]).toEqual([method, path, 405])
      expect(head).toMatch(/^allow: .*OPTIONS$/im)
      expect(head).not.toMatch(/^set-cookie:/im)
    }
    expect(await ask('OPTIONS', path)).toMatchObject({ status: 204, body: '' })
  }
})

describe('one request is one request (RFC 9112 section 11.2)', () => {
  const form = 'Content-Type: application/x-www-form-urlencoded'
  const head = (path: string, lines: string[]): string =>
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(service.issuer).host}\r\n${form}\r\n${lines.join('\r\n')}\r\n\r\n`
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

  test('a body above the limit is not read as the next request', async () => {
    const body = `client_id=x&filler=${'a'.repeat(40_000)}${smuggled}`
    for (const path of ['/api/oauth/token', '/api/oauth/revoke', '/api/oauth/introspect']) {
      const answers = await sendRaw(service.issuer, head(path, [`Content-Length: ${body.length}`]) + body, { quietMs: 300 })
      expect(answers.map(({ status }) => status)).toEqual([413])
    }
  })

  test('the request after a body that was read twice arrives intact', async () => {
    const body = `grant_type=refresh_token&refresh_token=x&client_id=nobody&resource=${service.issuer.toUpperCase().replace('HTTP', 'http')}/`
    const answers = await sendRaw(service.issuer, head('/api/oauth/token', [`Content-Length: ${body.length}`]) + body + smuggled)
    expect(answers.map(({ status, body }) => [status, JSON.parse(body).error])).toEqual([
      [401, 'invalid_client'],
      [404, 'not_found'],
    ])
  })

  test('a chunked body is read as its length says, with the next request behind it', async () => {
    const chunked = `9\r\nclient_id\r\n8\r\n=nobody&\r\n7\r\ntoken=x\r\n0\r\n\r\n`
    const answers = await sendRaw(service.issuer, head('/api/oauth/revoke', ['Transfer-Encoding: chunked']) + chunked + smuggled)
    expect(answers.map(({ status }) => status)).toEqual([401, 404])
  })

  test.each([
    ['both a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked']],
    ['two lengths', ['Content-Length: 4', 'Content-Length: 40']],
    ['an unknown transfer coding', ['Transfer-Encoding: xchunked']],
    ['a length with a sign', ['Content-Length: +4']],
  ])('%s is refused, and the connection ends', async (_, lines) => {
    const answers = await sendRaw(service.issuer, `${head('/api/oauth/token', lines)}0\r\n\r\n${smuggled}`)
    expect(answers.map(({ status }) => status)).toEqual([400])
  })

  test('a body that breaks off does not hang, and nothing is answered in its name', async () => {
    const answers = await sendRaw(service.issuer, `${head('/api/oauth/token', ['Content-Length: 100'])}client_id=x`, { quietMs: 300 })
    expect(answers).toEqual([])
    expect((await get(`${service.issuer}/.well-known/openid-configuration`)).status).toBe(200)
  })
})

test('a page under another spelling of its path carries no cookie of the interaction, so nothing can be answered there', async () => {
  const agent = await createAgent(service.issuer)
  const person = personCalled('learner@example.org')
  const page = await person.open(agent.authorizationUrl().href)
  const shouted = await person.open(service.issuer + page.url.pathname.replace('/oauth/', '/OAUTH/'))
  expect([400, 404]).toContain(shouted.status)
  expect(shouted.html).not.toContain('<form')
})
