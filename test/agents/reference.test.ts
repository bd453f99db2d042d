import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { problems } from '../../src/lib/problem.ts'
import { get } from '../support/agent.ts'
import { hasChromium, launchChromium } from '../support/chromium.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService({ schools: 2 })
})
afterAll(() => service.stop())

const fetched = async (path: string, headers?: Record<string, string>) => await get(`${service.issuer}${path}`, headers)

describe('the reference', () => {
  test('is a page under a policy without anything inline or from elsewhere, and no other answer gets that policy', async () => {
    const page = await fetched('/docs')
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
    )
    for (const path of ['/account/sign-in', '/api/v1/courses', '/openapi.json', '/docs/assets/reference.js']) {
      expect((await fetched(path)).headers.get('content-security-policy')).not.toContain('script-src')
    }
  })

  test('keeps a tag on its pages and files, and answers nothing outside them', async () => {
    const { body, headers } = await fetched('/docs')
    const files = [...body.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path as string)
    expect(files).toHaveLength(4)
    for (const path of ['/docs', ...files]) {
      const etag = (await fetched(path)).headers.get('etag') as string
      expect((await fetched(path, { 'if-none-match': etag })).status).toBe(304)
    }
    expect(headers.get('cache-control')).toBe('public, max-age=300')
    for (const path of ['/docs/assets/package.json', '/docs/assets/..%2f..%2fpackage.json', '/docs/x']) {
      expect((await fetched(path)).status).toBe(404)
    }
    expect((await fetch(`${service.issuer}/docs`, { method: 'POST' })).status).toBe(405)
  })

  test('leads to the description without a script, and the description leads back', async () => {
    expect((await fetched('/docs')).body).toContain('<a href="/openapi.json">')
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

describe.skipIf(!hasChromium())('the reference in Chromium', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())

  test('draws every operation, asks nobody else for anything, and breaks no rule of its policy', async () => {
    const page = await browser.newPage()
    const fieldErrors: string[] = []
    page.on('request', (request) => {
      if (!request.url().startsWith(service.issuer) && !request.url().startsWith('data:')) fieldErrors.push(`asked ${request.url()}`)
    })
    page.on('response', (response) => {
      if (response.status() >= 400 && !response.url().endsWith('/favicon.ico')) fieldErrors.push(`${response.status()} ${response.url()}`)
    })
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) fieldErrors.push(message.text())
    })
    page.on('pageerror', (error) => fieldErrors.push(String(error)))
    await page.goto(`${service.issuer}/docs`)
    const { paths } = (await fetched('/openapi.json')).body as { paths: Record<string, object> }
    const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length
    // Operations outside of the viewport are rendered on scrolling.
    await page.setViewportSize({ width: 1200, height: 25_000 })
    await expect.poll(() => page.locator('.opblock').count()).toBe(count)
    await page.locator('#operations-courses-listCourses .opblock-summary-control').click()
    await page.getByText('next_cursor or prev_cursor from another page').first().waitFor({ timeout: 60_000 })
    expect(fieldErrors).toEqual([])
    await page.close()
  })

  test('without scripts, leads to the description', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`${service.issuer}/docs`)
    expect(await page.locator('noscript a').getAttribute('href')).toBe('/openapi.json')
    await context.close()
  })
})

test('the pages are drawn from templates that write text alone', () => {
  for (const name of ['reference', 'errors']) {
    expect(readFileSync(new URL(`../../views/${name}.ejs`, import.meta.url), 'utf8')).not.toContain('<%-')
  }
})
