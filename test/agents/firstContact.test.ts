// Proves RFC 9110 section 12, RFC 9116: `/` responds by Accept, with HEAD, Vary and Link; guessed addresses lead to the right ones; robots.txt, sitemap, security.txt, change-password, icon

import { beforeAll, describe, expect, test } from 'vitest'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

const service = duringTests(() => startService())
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  const { school } = entry
  await makeDemoSchool(service.database, { school, now: new Date(), hashPassword: async () => 'no password', only: 'catalogue' })
})

const request = (path: string, accept = '*/*', init: RequestInit = {}): Promise<Response> =>
  fetch(service.issuer + path, { redirect: 'manual', ...init, headers: { accept, ...init.headers } })
const relations = (response: Response): string[] =>
  [...(response.headers.get('link') ?? '').matchAll(/rel="([^"]+)"/g)].map(([, one = '']) => one)

describe('the base address', () => {
  test.each([
    ['*/*', 'text/markdown; charset=utf-8', /^# /],
    ['text/markdown', 'text/markdown; charset=utf-8', /^# /],
    ['text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', 'text/html; charset=utf-8', /^<!DOCTYPE html>/],
    ['application/json', 'application/json; charset=utf-8', /^\{"name":/],
    ['application/json, text/plain, */*', 'application/json; charset=utf-8', /^\{"name":/],
    ['text/plain', 'text/plain; charset=utf-8', /^# /],
  ])('answers %s with %s, and HEAD with the same headers', async (accept, type, form) => {
    const response = await request('/', accept)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(await response.text()).toMatch(form)
    expect(response.headers.get('vary')).toContain('Accept')
    for (const relation of ['service-doc', 'service-desc', 'api-catalog', 'oauth-protected-resource', 'describedby'])
      expect(relations(response)).toContain(relation)
    const head = await request('/', accept, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
    for (const name of ['content-type', 'content-length', 'link', 'vary']) expect(head.headers.get(name)).toBe(response.headers.get(name))
  })

  test('serves each media type from its own cache entry, whatever was asked before', async () => {
    for (const accept of ['text/html', 'application/json', 'text/markdown', 'text/html']) {
      expect((await request('/', accept)).headers.get('content-type')).toContain(accept)
    }
  })

  test('answers 406 with the types that it has, and 405 to other methods', async () => {
    const response = await request('/', 'image/png')
    expect([response.status, await response.json()]).toMatchObject([
      406,
      { error: 'not_acceptable', error_description: expect.stringContaining('text/markdown') },
    ])
    expect((await request('/', 'application/json', { method: 'POST' })).status).toBe(405)
  })

  test('leads from its JSON form to addresses that all answer', async () => {
    const { documents, api } = (await (await request('/', 'application/json')).json()) as { documents: Record<string, string>; api: string }
    for (const address of [api, ...Object.values(documents)]) expect([address, (await fetch(address)).status]).toEqual([address, 200])
  })

  test('leads to every catalogue, card and guide in each of its forms, and /auth.md leads to the list of operations', async () => {
    const shared = ['/auth.md', '/api.md', '/llms.txt', '/pricing.md', '/mcp/server-card']
    const catalogues = ['/.well-known/ai-catalog.json', '/.well-known/api-catalog', '/.well-known/agent-skills/index.json']
    const markdown = await (await request('/')).text()
    const json = await (await request('/', 'application/json')).text()
    const home = await (await request('/', 'text/html')).text()
    expect(home).toContain('href="/docs"')
    const page = await (await request('/docs', 'text/html')).text()
    // The Markdown is /llms.txt, which does not link itself.
    for (const path of [...shared, ...catalogues, '/docs/apps.md']) {
      if (path !== '/llms.txt') expect(markdown).toContain(`](${service.issuer}${path})`)
      expect(json).toContain(`"${service.issuer}${path}"`)
    }
    for (const path of [...shared, ...catalogues, '/docs/apps']) expect(page).toContain(`href="${path}"`)
    expect(await (await request('/auth.md')).text()).toContain(`](${service.issuer}/api.md)`)
  })

  test('greets people in their language, with links that all answer', async () => {
    for (const [language, words] of [
      ['en', 'For developers'],
      ['de', 'Für Entwicklerinnen'],
    ] as const) {
      const page = await (await request('/', 'text/html', { headers: { 'accept-language': language } })).text()
      expect(page).toContain(`<html lang="${language}">`)
      expect(page).toContain(words)
      for (const [, href = ''] of page.matchAll(/href="(\/[^"]*)"/g))
        expect([href, (await request(href.replaceAll('&amp;', '&'), 'text/html,*/*')).status < 400]).toEqual([href, true])
    }
    const chosen = await request('/?lang=de', 'text/html', { headers: { 'accept-language': 'en' } })
    expect([await chosen.text(), chosen.headers.get('set-cookie')]).toEqual([
      expect.stringContaining('Für Entwicklerinnen'),
      expect.stringContaining('sg_language'),
    ])
  })
})

describe('pages that are also Markdown', () => {
  test.each([
    ['/docs', '/api.md'],
    ['/docs/errors', '/docs/errors.md'],
  ])('%s is %s to a client that accepts Markdown, and a page otherwise', async (path, document) => {
    const markdown = await request(path, 'text/markdown')
    expect([markdown.headers.get('content-type'), markdown.headers.get('vary')]).toEqual(['text/markdown; charset=utf-8', 'Accept'])
    expect(await markdown.text()).toBe(await (await request(document)).text())
    for (const accept of ['text/html', '*/*']) {
      const page = await request(path, accept)
      expect([page.headers.get('content-type'), page.headers.get('vary')]).toEqual(['text/html; charset=utf-8', 'Accept'])
    }
  })

  test.each(['/docs', '/docs/errors', '/account/sign-in'])('%s links to the documents', async (path) => {
    expect(relations(await request(path, 'text/html'))).toEqual(
      expect.arrayContaining(['service-doc', 'service-desc', 'api-catalog', 'describedby']),
    )
  })

  test('the index of the API links to the documents', async () => {
    expect(relations(await request('/api/v1'))).toEqual(
      expect.arrayContaining(['service-doc', 'service-desc', 'api-catalog', 'describedby']),
    )
  })
})

describe('an error', () => {
  test.each(['/api/v1/account', '/api/v1/courses/no-such-course', '/api/v1/courses?limt=1', '/nothing', '/sse'])(
    'at %s names the walkthrough in its body to a caller without a token',
    async (path) => {
      const response = await request(path)
      expect(response.status).toBeGreaterThanOrEqual(400)
      expect(await response.json()).toMatchObject({ documentation: `${service.issuer}/auth.md` })
    },
  )

  test('names it to no caller with a token, valid or not', async () => {
    const response = await request('/api/v1/courses/none', '*/*', { headers: { authorization: 'Bearer no-token-at-all' } })
    expect(await response.json()).not.toHaveProperty('documentation')
  })

  test('about a missing scope says that a public read works without a token, and says it of no other operation', async () => {
    await service.addPerson({ email: 'scopes@example.com', role: 'owner' })
    const agent = await createAgent(service.issuer)
    const { body: tokens } = await agent.tokens(personCalled('scopes@example.com'), { scope: 'openid' }, { scopes: 'all' })
    const described = async (path: string): Promise<string> => {
      const response = await request(path, '*/*', { headers: { authorization: `Bearer ${tokens.access_token}` } })
      expect(response.status).toBe(403)
      return ((await response.json()) as { error_description: string }).error_description
    }
    expect(await described('/api/v1/courses')).toBe(
      'This operation needs the scope courses:read. Without a token it returns the public view.',
    )
    expect(await described('/api/v1/orders')).toBe('This operation needs the scope orders:read.')
  })
})

describe('an address that clients guess', () => {
  test.each([
    ['/mcp/', '/mcp'],
    ['/api', '/api/v1'],
    ['/api/', '/api/v1'],
    ['/api/v1/', '/api/v1'],
    ['/swagger.json', '/openapi.json'],
    ['/openapi', '/openapi.json'],
    ['/docs/', '/docs'],
    ['/.well-known/openid_configuration', '/.well-known/openid-configuration'],
    ['/.well-known/oauth_authorization_server', '/.well-known/oauth-authorization-server'],
    ['/.well-known/llms.txt', '/llms.txt'],
  ])('%s redirects to %s, with the method kept', async (path, target) => {
    const response = await request(`${path}?a=b`)
    expect([response.status, response.headers.get('location')]).toEqual([308, `${service.issuer}${target}?a=b`])
    expect([200, 405]).toContain((await fetch(service.issuer + target)).status)
  })

  test.each([
    ['/sse', '/mcp'],
    ['/mcp/sse', '/mcp'],
    ['/openapi.yaml', '/openapi.json'],
  ])('%s is 404 and names %s', async (path, target) => {
    const response = await request(path)
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { error_description: expect.stringContaining(`${service.issuer}${target}`) },
    ])
  })

  test('takes the MCP client with a slash too many to the server', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const response = await fetch(`${service.issuer}/mcp/`, { method: 'POST', headers, body })
    expect([response.status, await response.json()]).toMatchObject([200, { result: {} }])
  })
})

describe('files of the site', () => {
  test('robots.txt lets agents read the documents, keeps crawlers away from the account, and names the sitemap', async () => {
    const text = await (await request('/robots.txt')).text()
    expect(text).toMatch(/^User-agent: \*\nContent-Signal: search=yes, ai-input=yes, ai-train=no\n/)
    for (const path of ['/account', '/oauth']) expect(text).toContain(`Disallow: ${path}\n`)
    expect(text).toContain(`Sitemap: ${service.issuer}/sitemap.xml`)
  })

  test('the sitemap lists the pages of the public catalogue, and every address in it answers a visitor', async () => {
    const locations = (text: string): string[] => [...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, address = '']) => address)
    const files = locations(await (await request('/sitemap.xml')).text())
    expect(files.length).toBeGreaterThan(3)
    const pages: string[] = []
    for (const file of files) {
      const response = await fetch(file)
      expect([file, response.status, response.headers.get('content-type')]).toEqual([file, 200, 'application/xml; charset=utf-8'])
      pages.push(...locations(await response.text()))
    }
    const { data } = (await (await request('/api/v1/courses?limit=100')).json()) as { data: { slug: string }[] }
    for (const { slug } of data) expect(pages).toContain(`${service.issuer}/courses/${slug}`)
    for (const address of pages) expect([address, (await fetch(address)).status]).toEqual([address, 200])
    expect(pages.length).toBeLessThan(50_000)
    for (const path of ['/sitemap-members.xml', '/sitemap-orders.xml', '/sitemap-x.xml']) expect((await request(path)).status).toBe(404)
  })

  test('security.txt has the contact of the configuration, else that of the school, else there is none (RFC 9116)', async () => {
    const read = async () => await (await request('/.well-known/security.txt')).text()
    const schoolId = service.schoolId()
    await service.database.kysely.updateTable('school').set({ contact_email: null, support_url: null }).where('id', '=', schoolId).execute()
    await service.reload({ school: { security_contact: 'mailto:security@example.com' } })
    expect(await read()).toMatch(/^Contact: mailto:security@example\.com\nExpires: \d{4}-\d\d-\d\dT00:00:00\.000Z\nCanonical: http/)
    await service.reload({ school: {} })
    expect((await request('/.well-known/security.txt')).status).toBe(404)
    await service.database.kysely.updateTable('school').set({ contact_email: 'hello@example.com' }).where('id', '=', schoolId).execute()
    await service.reload({ school: {} })
    expect(await read()).toMatch(/^Contact: mailto:hello@example\.com\n/)
  })

  test('change-password leads to the page, and the icon is a picture that runs nothing', async () => {
    const response = await request('/.well-known/change-password', 'text/html')
    expect([response.status, response.headers.get('location')]).toEqual([302, `${service.issuer}/account/password`])
    const icon = await request('/favicon.ico')
    expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
    expect(icon.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})
