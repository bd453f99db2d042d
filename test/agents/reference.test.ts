import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { problems } from '../../src/base/problem.ts'
import { send } from '../pages/account/account.ts'
import { createBrowser } from '../pages/browser.ts'
import { agentOf, get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { password, startService } from '../support/service.ts'

const service = duringTests(() => startService({ schools: 2, people: [{ email: 'ada@example.com' }] }))

const fetched = async (path: string, headers?: Record<string, string>) => await get(`${service.issuer}${path}`, headers)

interface Described {
  operationId: string
  tags: string[]
  'x-required-scopes': string[]
  'x-anonymous': string
}
const operationsOf = async (): Promise<Described[]> => {
  const { paths } = (await fetched('/openapi.json')).body as { paths: Record<string, Record<string, Described>> }
  return Object.values(paths).flatMap((methods) => Object.values(methods))
}

describe('the reference', () => {
  test('is a page under a policy that allows its own script alone, and no other answer allows that script', async () => {
    const page = await fetched('/docs')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toBe(
      `default-src 'none'; script-src ${service.issuer}/docs/assets/reference.js; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    )
    for (const path of ['/account/sign-in', '/api/v1/courses', '/openapi.json', '/docs/assets/reference.js', '/docs/courses.md']) {
      expect((await fetched(path)).headers.get('content-security-policy')).not.toContain('reference.js')
    }
  })

  test('keeps a tag on its pages and files, and answers nothing outside them', async () => {
    const { body, headers } = await fetched('/docs')
    const files = [...body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(files).toHaveLength(2)
    for (const path of ['/docs', '/docs/courses', ...files]) {
      const etag = (await fetched(path)).headers.get('etag') as string
      expect((await fetched(path, { 'if-none-match': etag })).status).toBe(304)
    }
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    for (const path of [
      '/docs/assets/package.json',
      '/docs/assets/..%2f..%2fpackage.json',
      '/docs/x',
      '/docs/constructor',
      '/docs/courses/',
    ]) {
      expect([path, (await fetched(path)).status]).toEqual([path, 404])
    }
    expect((await fetch(`${service.issuer}/docs`, { method: 'POST' })).status).toBe(405)
  })

  test('lists every operation with its callers, and describes each one on the page of its area, without a script', async () => {
    const operations = await operationsOf()
    expect(operations.length).toBeGreaterThan(200)
    const list = (await fetched('/docs')).body as string
    const pages = new Map<string, string>()
    for (const { operationId: id, tags, ...operation } of operations) {
      const [area = ''] = tags
      expect(list).toContain(`href="/docs/${area}#${id}"`)
      const page = pages.get(area) ?? ((await fetched(`/docs/${area}`)).body as string)
      pages.set(area, page)
      const section = page.slice(page.indexOf(`id="${id}"`)).split('</article>')[0] ?? ''
      const access = /<span class="access(?: public)?">([^<]*)</.exec(section)?.[1] ?? ''
      const needs = `needs ${operation['x-required-scopes'].join(' or ')}`
      if (operation['x-anonymous'] === 'none') expect([id, access.toLowerCase()]).toEqual([id, needs])
      else expect([id, access]).toEqual([id, operation['x-anonymous'] === 'full' ? 'Public' : `Public in part, the rest ${needs}`])
    }
  })

  test('finds operations by the words of a query, also without a script', async () => {
    const { body } = await fetched('/docs/search?q=REFUNDS+order')
    expect(body).toContain('listOrderRefunds')
    expect(body).not.toContain('listCourses')
    expect((await fetched('/docs')).body).toContain('listCourses')
    const hostile = (await fetched(`/docs/search?q=${encodeURIComponent('"><script>alert(1)</script>')}${'x'.repeat(500)}`)).body as string
    expect(hostile).toContain('0 operations contain')
    expect(hostile).not.toContain('<script>')
  })

  test('leads to the description, and the description leads back', async () => {
    expect((await fetched('/docs')).body).toContain('<a href="/openapi.json">')
    expect((await fetched('/docs/courses')).body).toContain('<a href="/openapi/courses.json">')
    expect((await fetched('/openapi.json')).body.externalDocs.url).toBe(`${service.issuer}/docs`)
  })

  test('writes the name of the school as text, whatever it is', async () => {
    await service.database.sql.query(`UPDATE school SET name = '<script>alert(1)</script>' WHERE id = $1`, [
      service.schoolId(service.other),
    ])
    const { body } = await get(`${service.other}/docs`)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(body).not.toContain('<script>')
  })
})

describe('the client of the reference', () => {
  const asClient = (issuer: string) => agentOf(issuer, 'api-reference', undefined, `${issuer}/docs/callback`)

  test('exists without a registration once somebody opened the reference, and is limited to the address of its school', async () => {
    expect((await fetched('/docs/courses')).body).toContain('data-client="api-reference"')
    const client = asClient(service.issuer)
    const browser = createBrowser(service.issuer)
    let page = await browser.follow(await browser.get(client.authorizationUrl({ scope: 'courses:read' }).href))
    page = await browser.follow(await send(browser, page, { email: 'ada@example.com', password }))
    const redirect = await browser.follow(await send(browser, page, { scope: 'courses:read' }, /consent$/))
    const { status, body } = await client.redeem(redirect.url)
    expect([status, body.scope, body.refresh_token]).toEqual([200, 'courses:read', undefined])
    for (const foreign of [`${service.other}/docs/callback`, 'http://127.0.0.1:8765/callback', `${service.issuer}/docs`]) {
      const url = client.authorizationUrl({ redirect_uri: foreign })
      const answer = await fetch(url, { redirect: 'manual' })
      expect([foreign, answer.status]).toEqual([foreign, 400])
    }
    const bare = client.authorizationUrl()
    bare.searchParams.delete('code_challenge')
    expect((await fetch(bare, { redirect: 'manual' })).headers.get('location')).toContain('error=invalid_request')
  })

  test('can be disabled: then the reference offers no requests and no sign-in is possible', async () => {
    await service.database.sql.query(`UPDATE oidc_client SET disabled_at = now(), disabled_by = 'operator' WHERE id = 'api-reference'`)
    await expect.poll(async () => (await fetched('/docs/orders')).body.includes('data-client')).toBe(false)
    expect((await fetched('/docs/orders')).body).not.toContain('Try it')
    const client = asClient(service.issuer)
    expect((await fetch(client.authorizationUrl(), { redirect: 'manual' })).status).toBe(400)
  })
})

describe('the page of errors', () => {
  test('has an anchor for every code, where error_uri of an API error leads', async () => {
    const { body } = await fetched('/docs/errors')
    for (const code of Object.keys(problems)) expect(body).toContain(`id="${code}"`)
    expect((await fetched('/api/v1/courses/none')).body.error_uri).toBe('https://docs.example.com/errors#not_found')
    await service.reload({ school: { docs_url: undefined } })
    expect((await fetched('/api/v1/courses/none')).body.error_uri).toBe(`${service.issuer}/docs/errors#not_found`)
    expect((await fetched('/nothing')).body).not.toHaveProperty('error_uri')
  })
})

test('the pages are drawn from templates that write text alone', () => {
  for (const name of [
    'reference',
    'reference-area',
    'reference-callback',
    'reference-fields',
    'reference-head',
    'reference-inputs',
    'errors',
  ]) {
    const template = readFileSync(new URL(`../../views/${name}.ejs`, import.meta.url), 'utf8')
    expect(template.replaceAll('<%- include(', '')).not.toContain('<%-')
  }
})
