import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, test } from 'vitest'
import { isUnneeded } from '../../scripts/prunePackages.ts'
import { fontFaces } from '../../src/pages/fonts.ts'
import { schoolStylesheet } from '../../src/pages/schoolStylesheet.ts'
import { fontFamilies, fontNames, themeDefaults } from '../../src/school/settings/themes.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from './service.ts'

const service = duringTests(() => startService())

const require = createRequire(import.meta.url)
const addresses = (css: string): string[] => [...css.matchAll(/url\("([^"]+)"\)/g)].map(([, url = '']) => url)

describe('the fonts of a school', () => {
  test.each(fontNames)('%s is served by the school itself, under an open licence that its package contains', async (name) => {
    const css = fontFaces({ heading: name, body: name })
    const urls = addresses(css)
    expect(urls.length).toBeGreaterThan(1)
    for (const url of urls) {
      const answer = await fetch(service.base + url)
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'font/woff2'])
      expect(answer.headers.get('cache-control')).toBe('public, max-age=2592000')
      expect(Buffer.from(await answer.arrayBuffer()).toString('latin1', 0, 4)).toBe('wOF2')
    }
    const [, family = ''] = /font-family: (.+);/.exec(css) ?? []
    expect(fontFamilies[name]).toMatch(new RegExp(`^${family}, `))
    const slug = (urls[0] ?? '').split('/').at(-1)?.split('-latin')[0]
    const scope = css.includes('-wght-') ? '@fontsource-variable' : '@fontsource'
    const manifest: { license?: string } = JSON.parse(readFileSync(require.resolve(`${scope}/${slug}/package.json`), 'utf8'))
    expect(manifest.license).toBe('OFL-1.1')
    expect(readFileSync(require.resolve(`${scope}/${slug}/LICENSE`), 'utf8')).toContain('SIL Open Font License')
  })

  test('are in the style sheet of the school, each once', () => {
    const { body } = schoolStylesheet({ ...themeDefaults('minimal'), logo: null, logo_dark: null })
    expect(addresses(body)).toEqual(['/assets/fonts/inter-latin-ext-wght-normal.woff2', '/assets/fonts/inter-latin-wght-normal.woff2'])
    expect(body).toContain('--heading-font: Inter, system-ui, sans-serif;')
    expect(body).toContain('--body-font: Inter, system-ui, sans-serif;')
  })

  test('are confirmed by a tag, and no other file is served', async () => {
    const url = `${service.base}/assets/fonts/karla-latin-wght-normal.woff2`
    const { headers } = await fetch(url)
    const again = await fetch(url, { headers: { 'if-none-match': headers.get('etag') ?? '', 'cache-control': 'max-age=60' } })
    expect(again.status).toBe(304)
    for (const name of ['karla-latin-wght-italic.woff2', '..%2Fkarla%2Fpackage.json', 'constructor'])
      expect((await fetch(`${service.base}/assets/fonts/${name}`)).status).toBe(404)
  })

  test('are the only files of their packages in an image, with the licences', () => {
    const folder = 'node_modules/@fontsource-variable/karla'
    expect(isUnneeded(`${folder}/files/karla-latin-wght-normal.woff2`)).toBe(false)
    expect(isUnneeded(`${folder}/LICENSE`)).toBe(false)
    expect(isUnneeded(`${folder}/package.json`)).toBe(false)
    expect(isUnneeded(`${folder}/files/karla-latin-wght-italic.woff2`)).toBe(true)
    expect(isUnneeded(`${folder}/wght.css`)).toBe(true)
  })
})
