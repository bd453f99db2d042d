import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type TestService } from './service.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
}, 30_000)
afterAll(() => service.close())

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
      // Node's fetch sends no-cache with a conditional request that says nothing else.
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

  test('text stands out from its ground by 4.5 to 1, in light and in dark (WCAG 2.2 success criterion 1.4.3)', () => {
    const themes = [...css.matchAll(/:root\s*\{([^}]*)\}/g)].map(
      ([, block = '']) => new Map([...block.matchAll(/--([a-z-]+):\s*(#[0-9a-f]{6})/g)].map(([, name = '', value = '']) => [name, value])),
    )
    expect(themes).toHaveLength(2)
    for (const colours of themes) {
      for (const [ink, ground] of [
        ['ink', 'ground'],
        ['ink', 'sheet'],
        ['quiet', 'sheet'],
        ['quiet', 'ground'],
        ['accent', 'sheet'],
        ['on-accent', 'accent'],
        ['caution-ink', 'caution-ground'],
        ['fault-ink', 'fault-ground'],
      ] as const) {
        expect([ink, ground, contrast(colours.get(ink) ?? '', colours.get(ground) ?? '') >= 4.5]).toEqual([ink, ground, true])
      }
      // The edges of fields and boxes (1.4.11).
      expect(contrast(colours.get('line') ?? '', colours.get('sheet') ?? '')).toBeGreaterThanOrEqual(3)
    }
  })
})

function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
