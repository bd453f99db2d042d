import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { duringTests } from '../support/duringTests.ts'
import { startService } from './service.ts'

const service = duringTests(() => startService())

const css = readFileSync(new URL('../../views/assets/schoolgate.css', import.meta.url), 'utf8')

describe('the stylesheet', () => {
  test('is what pages link to, kept for ever, and confirmed by its tag', async () => {
    const page = await (await fetch(service.authorizeUrl({ client_id: 'nobody' }), { headers: { accept: 'text/html' } })).text()
    const href = /<link rel="stylesheet" href="([^"]+)">/.exec(page)?.[1] ?? ''
    const answer = await fetch(service.base + href)
    expect(await answer.text()).toBe(css)
    expect(answer.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(answer.headers.get('cache-control')).toContain('immutable')
    const again = await fetch(service.base + href, {
      // Node's fetch sends no-cache with a conditional request by default.
      headers: { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=60' },
    })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })

  test('under another version it is kept for minutes only', async () => {
    const answer = await fetch(`${service.base}/assets/schoolgate.css?v=old`)
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
  })

  test('loads nothing from elsewhere', () => {
    expect(css).not.toMatch(/url\(|@import/)
  })

  test('has no hard-coded colour, and uses only properties of the school', async () => {
    expect(css).not.toMatch(/#[0-9a-f]{3,8}\b|\brgb|\bhsl/i)
    const colours = await (await fetch(`${service.base}/assets/school.css`)).text()
    for (const [, name] of css.matchAll(/var\((--[a-z-]+)\)/g))
      expect(colours).toMatch(new RegExp(`${name}: ${name?.endsWith('corner') ? '\\d' : name?.endsWith('font') ? '\\S' : '#'}`))
  })
})

describe("the school's stylesheet", () => {
  test('is linked by its content, kept for ever, confirmed by its tag, and loads only fonts of the school', async () => {
    const page = await (await fetch(service.authorizeUrl({ client_id: 'nobody' }), { headers: { accept: 'text/html' } })).text()
    const href = /<link rel="stylesheet" href="(\/assets\/school\.css[^"]+)">/.exec(page)?.[1] ?? ''
    const answer = await fetch(service.base + href)
    const body = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/css; charset=utf-8'])
    expect(answer.headers.get('cache-control')).toContain('immutable')
    expect(body).toContain('--primary: #1f6f5c;')
    expect(body.replaceAll(/url\("\/assets\/fonts\/[\w-]+\.woff2"\)/g, '')).not.toMatch(/url\(|@import|[<>]/)
    const tag = { 'if-none-match': answer.headers.get('etag') ?? '', 'cache-control': 'max-age=60' }
    expect((await fetch(service.base + href, { headers: tag })).status).toBe(304)
    expect((await fetch(`${service.base}/assets/school.css`)).headers.get('cache-control')).toBe('public, max-age=300')
  })
})
