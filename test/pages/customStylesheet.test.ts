import { describe, expect, test } from 'vitest'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'

describe("a school's own stylesheet at /assets/custom.css", () => {
  const service = duringTests(() => startService({ schools: 2 }))

  const css = (issuer: string, headers: Record<string, string> = {}) => fetch(`${issuer}/assets/custom.css`, { headers })

  test('is empty if the school has none, and always has the type of a stylesheet', async () => {
    const reply = await css(service.issuer)
    expect([reply.status, await reply.text()]).toEqual([200, ''])
    expect(reply.headers.get('content-type')).toBe('text/css; charset=utf-8')
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(reply.headers.get('cache-control')).toContain('public, max-age=60')
  })

  test("is each school's own, and answers 304 for a known ETag", async () => {
    await service.database.sql.query('UPDATE appearance SET custom_css = $2 WHERE school_id = $1', [
      service.schoolId(),
      'h1 { color: red }',
    ])
    const first = await css(service.issuer)
    expect(await first.text()).toBe('h1 { color: red }')
    const etag = first.headers.get('etag') as string
    expect((await css(service.issuer, { 'if-none-match': etag })).status).toBe(304)
    expect(await (await css(service.other)).text()).toBe('')
  })

  test('is linked to by no page on which people sign in', async () => {
    const page = await (await fetch(`${service.issuer}/account/sign-in`)).text()
    expect(page).toContain('/assets/schoolgate.css')
    expect(page).not.toContain('custom.css')
  })

  test('every school has its looks from its file', async () => {
    const rows = await service.database.sql.query<{ theme: string; mode: string }>('SELECT theme, mode FROM appearance')
    expect(rows.length).toBe(2)
    const reply = await fetch(`${service.issuer}/api/v1/appearance`)
    expect(await reply.json()).toMatchObject({ theme: 'studio', corner_radius: 'medium', navigation: { header: [], footer: [] } })
  })
})
