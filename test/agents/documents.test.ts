// Proves llmstxt.org: `/llms.txt` is a heading, a summary and sections of links, all of which return 200
// Proves RFC 9110 section 13: They can be cached and revalidated; names from the database never become markup
// Proves RFC 9727, RFC 8631: `/.well-known/api-catalog` is a linkset whose links work; responses to visitors say where to find tokens and descriptions

import request from 'supertest'
import { beforeAll, describe, expect, test } from 'vitest'
import { createDocumentList } from '../../src/agents/documentList.ts'
import { apiPath } from '../../src/engine/declare/operations.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { operationsIn, resources } from '../../src/school/index.ts'
import { get } from '../support/agent.ts'
import { duringTests } from '../support/duringTests.ts'
import { markdownErrors } from '../support/markdown.ts'
import { startService } from '../support/service.ts'

const checkout = 'https://shop.example.com/checkout?item={type}/{id}&coupon={code}'

const service = duringTests(() => startService({ school: { pricing_note: 'Prices include VAT.', checkout_url: checkout } }))
beforeAll(async () => {
  const [entry] = service.app.schools.all
  if (!entry) throw new Error('the service has no school')
  await makeDemoSchool(service.database, {
    school: entry.school,
    now: new Date(),
    hashPassword: async () => 'no password',
    only: 'catalogue',
  })
})

/** Sends requests to the composed application, without its port. */
const client = () => request(service.app.handler)
/** Every document; one for all resources. */
const documents = createDocumentList({ apiPath, operations: operationsIn(resources), apiText: () => '' }).paths.filter(
  (path) => !/^\/docs\/\w+\.md$/.test(path) || /courses|errors/.test(path),
)
const textOf = async (path: string): Promise<string> => (await client().get(path)).text
const linksIn = (text: string): string[] => [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address = '']) => address)

describe.each(documents)('%s', (path) => {
  test('can be cached, revalidated with a strong tag, and read from any origin', async () => {
    const { headers } = await client()
      .get(path)
      .set('Origin', 'https://inspector.example')
      .expect(200)
      .expect('Cache-Control', /^public, max-age=\d+$/)
      .expect('ETag', /^"[^"]+"$/)
      .expect('Access-Control-Allow-Origin', '*')
    await client().get(path).set('If-None-Match', String(headers.etag)).expect(304, '')
  })

  test('answers HEAD as GET without a body, and refuses other methods with Allow', async () => {
    const whole = await client().get(path).expect(200)
    const head = await client().head(path).expect(200)
    expect(head.text ?? '').toBe('')
    for (const name of ['etag', 'content-type', 'content-length']) expect(head.headers[name]).toBe(whole.headers[name])
    const rejected = await client().post(path).expect(405).expect('Allow', 'GET, HEAD, OPTIONS')
    expect(rejected.body).toMatchObject({ error: 'method_not_allowed' })
  })

  test('takes no token into account and sends no cookie', async () => {
    const { headers } = await client().get(path).set('Authorization', 'Bearer no-token-at-all-but-long').expect(200)
    expect(headers['set-cookie']).toBeUndefined()
  })
})

test.each(documents.filter((path) => path === '/llms.txt' || /(?<!SKILL)\.md$/.test(path)))('%s is clean Markdown', async (path) => {
  expect(await markdownErrors(await textOf(path))).toEqual([])
})

describe('/llms.txt (llmstxt.org)', () => {
  test('is a heading, a summary, and sections of links', async () => {
    const text = await textOf('/llms.txt')
    expect(text).toMatch(/^# [^\n]+\n\n> [^\n]+\n/)
    const listed = text.split('\n').filter((line) => line.startsWith('- '))
    expect(listed.length).toBeGreaterThan(10)
    for (const line of listed) expect(line).toMatch(/^- \[[^\n]+\]\(https?:[^)]+\)(: .+)?$/)
  })

  test('links only to what answers 200', async () => {
    const own = linksIn(await textOf('/llms.txt')).filter((address) => address.startsWith(service.issuer))
    const answers = await Promise.all(own.map(async (address) => [address, (await fetch(address)).status]))
    expect(answers.filter(([, status]) => status !== 200)).toEqual([])
    for (const path of ['/auth.md', '/openapi.json', '/pricing.md', '/api/v1/courses']) expect(own).toContain(service.issuer + path)
  })

  test('names /mcp exactly where something answers there', async () => {
    const isThere = (await get(`${service.issuer}/mcp`)).status !== 404
    for (const path of ['/llms.txt', '/auth.md']) expect((await textOf(path)).includes(`${service.issuer}/mcp\``)).toBe(isThere)
  })
})

test('/llms-full.txt says what it is, is bounded, and has auth.md, api.md, the errors and every skill unchanged', async () => {
  const text = await textOf('/llms-full.txt')
  expect(text).toMatch(/^# [^\n]+: documents for agents in one file\n\n> [^\n]+\/llms\.txt\)/)
  expect(Buffer.byteLength(text)).toBeLessThan(100_000)
  const index = JSON.parse(await textOf('/.well-known/agent-skills/index.json')) as { skills: { url: string }[] }
  const skillPaths = index.skills.map(({ url }) => new URL(url).pathname)
  expect(skillPaths.length).toBeGreaterThan(8)
  for (const path of ['/auth.md', '/api.md', '/docs/errors.md', ...skillPaths]) {
    expect(text).toContain(`\nFrom ${service.issuer}${path}:\n`)
    expect(text).toContain((await textOf(path)).replace(/^---\n.*?\n---\n/s, '').trim())
  }
  expect(await textOf('/llms.txt')).toContain(`${service.issuer}/llms-full.txt`)
})

describe('/pricing.md', () => {
  test('lists what a visitor can buy, and nothing that a visitor cannot see', async () => {
    const text = await textOf('/pricing.md')
    const { body } = await get(`${service.issuer}/api/v1/courses?access=paid&limit=100`)
    expect(body.data.length).toBeGreaterThan(3)
    for (const { id, slug, price } of body.data) {
      const row = text.split('\n').find((line) => line.includes(`(${service.issuer}/courses/${slug}.md)`))
      expect(row).toContain(`| ${(price.amount / 100).toFixed(2)} | ${price.currency} | once |`)
      expect(row).toContain(`https://shop.example.com/checkout?item=course/${id}&coupon=`)
    }
    expect(text.match(/^\| \[/gm)).toHaveLength(body.data.length)
  })

  test('ends with the note of the operator', async () => {
    expect(await textOf('/pricing.md')).toContain('\n## Notes\n\nPrices include VAT.\n')
  })
})

describe('/.well-known/api-catalog (RFC 9727)', () => {
  test('is a linkset with the profile, whose links all answer', async () => {
    const response = await fetch(`${service.issuer}/.well-known/api-catalog`)
    expect(response.headers.get('content-type')).toBe('application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"')
    const { linkset } = (await response.json()) as { linkset: Record<string, { href: string; type?: string }[]>[] }
    const targets = linkset.flatMap(({ anchor: _, ...relations }) => Object.values(relations).flat())
    expect(linkset.map(({ anchor }) => anchor)).toContain(`${service.issuer}/api/v1`)
    expect(targets.length).toBeGreaterThan(5)
    for (const { href, type } of targets) {
      const { status, headers } = await fetch(href)
      expect([href, status]).toEqual([href, href === `${service.issuer}/mcp` ? 405 : 200])
      if (type) expect(headers.get('content-type')).toContain(type)
    }
  })

  test('says in the Link header of HEAD what it is and where the API is', async () => {
    const links = `<${service.issuer}/.well-known/api-catalog>; rel="api-catalog", <${service.issuer}/api/v1>; rel="item"`
    await client().head('/.well-known/api-catalog').expect('Link', links)
  })
})

describe('the index of the API', () => {
  test('calls a resource open to visitors exactly where a visitor is answered', async () => {
    const { body } = await get(`${service.issuer}/api/v1`)
    const listed = body.resources as { name: string; url: string; anonymous: boolean }[]
    expect(listed.length).toBeGreaterThan(20)
    const found = await Promise.all(listed.map(async ({ name, url }) => ({ name, anonymous: (await get(url)).status === 200 })))
    expect(listed.map(({ name, anonymous }) => ({ name, anonymous }))).toEqual(found)
    expect(found).toContainEqual({ name: 'members', anonymous: false })
  })
})

describe('an answer to a visitor', () => {
  test.each(['/api/v1/courses', '/api/v1/school', '/api/v1/account', '/api/v1/courses/no-such-course'])(
    'at %s links to the metadata and the descriptions, without a challenge',
    async (path) => {
      const { headers } = await client().get(path)
      for (const [target, relation] of [
        ['/.well-known/oauth-protected-resource', 'oauth-protected-resource'],
        ['/openapi.json', 'service-desc'],
        ['/auth.md', 'service-doc'],
      ])
        expect(headers.link).toContain(`<${service.issuer}${target}>; rel="${relation}"`)
      expect(headers['www-authenticate']).toBeUndefined()
    },
  )
})
