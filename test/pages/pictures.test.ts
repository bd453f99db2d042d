// Proves interface: A link to a public page has a PNG preview with its title, and the school has PNG icons and a web manifest, for names in every script
import { imageSize } from 'image-size'
import { describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { createCaches } from '../../src/base/process/caches.ts'
import { createPngRenderer } from '../../src/pages/pictures/pngRenderer.ts'
import { type CardLogo, schoolIcon, shareCard } from '../../src/pages/pictures/shareCard.ts'
import { themeDefaults } from '../../src/school/settings/themes.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { asHtml, siteOwner } from './siteVisitor.ts'

const theme = { ...themeDefaults('studio'), logo: null, logo_dark: null }
const names = [
  'Töpferschule Lüneburg',
  'Школа ремёсел',
  'مدرسة الحرف',
  '工芸の学校',
  'शिल्प विद्यालय',
  'בית ספר למלאכה',
  '🏺🔥',
  'W'.repeat(300),
]

/** Titles whose markup would read files or run code if it were not escaped. */
const hostile = ['</text><image href="file:///etc/passwd"/>', '&xxe;<!ENTITY a "b">', '\u0000\u001b]]>', '<use href="#a"/>'.repeat(50)]

describe('the pictures that the service draws', () => {
  const service = duringTests(() => startService())
  const owner = duringTests(() => siteOwner(service))

  const page = async (path: string): Promise<string> => (await fetch(service.issuer + path, { headers: asHtml })).text()
  const picture = async (path: string): Promise<{ status: number; type: string | null; size: unknown }> => {
    const response = await fetch(new URL(path, service.issuer))
    const bytes = new Uint8Array(await response.arrayBuffer())
    const { width, height, type } = response.ok ? imageSize(bytes) : {}
    return { status: response.status, type: response.headers.get('content-type'), size: response.ok ? [type, width, height] : undefined }
  }

  test('are drawn for names in every script and for hostile titles, and differ by title', async () => {
    const failures: string[] = []
    const renderer = createPngRenderer({ caches: createCaches(), onFailure: (reason) => failures.push(reason), limitMilliseconds: 120_000 })
    const cards: Buffer[] = []
    for (const title of [...names, ...hostile]) {
      const card = await renderer.render(shareCard(title, { schoolName: title, theme }), 'one')
      cards.push(card)
      expect([title, imageSize(card)]).toMatchObject([title, { type: 'png', width: 1200, height: 630 }])
      expect(imageSize(await renderer.render(schoolIcon(title, theme, 180), 'one'))).toMatchObject({ type: 'png', width: 180, height: 180 })
    }
    expect(cards[0]?.equals(cards[1] ?? Buffer.of())).toBe(false)
    expect(await renderer.render(shareCard(names[0] ?? '', { schoolName: names[0] ?? '', theme }), 'one')).toBe(cards[0])
    expect(shareCard(hostile[0] ?? '', { schoolName: '', theme }).svg).not.toContain('<image')
    expect(failures).toEqual([])
  })

  test('are drawn once for all who request the same one, and many pictures of one school refuse and delay none of another', async () => {
    const renderer = createPngRenderer({ caches: createCaches(), onFailure: () => undefined, limitMilliseconds: 120_000 })
    const ended: string[] = []
    const draw = async (title: string, school: string) => {
      try {
        return await renderer.render(shareCard(title, { schoolName: school, theme }), school)
      } catch (error) {
        return (error as { code: string }).code
      } finally {
        ended.push(school)
      }
    }
    const same = await Promise.all(Array.from({ length: 60 }, () => draw('Clay', 'busy')))
    expect(same.filter((one) => one !== same[0])).toEqual([])
    const busy = Promise.all(Array.from({ length: 40 }, (_, index) => draw(`Clay ${index}`, 'busy')))
    const other = await draw('Wood', 'other')
    expect(imageSize(other as Buffer)).toMatchObject({ type: 'png' })
    const refused = (await busy).filter((one) => one === 'temporarily_unavailable')
    // One runs, twenty wait, and the newest of them made place for the other school.
    expect(refused.length).toBe(20)
    expect(ended.slice(60).lastIndexOf('other')).toBeLessThan(30)
  })

  describe('with the logo of the school', () => {
    const svg = (inner: string, size = 'width="120" height="60"') =>
      Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}>${inner}</svg>`)
    const gold = '<rect width="120" height="60" fill="#ffd700"/>'
    const logoOf = (content: Buffer, contentType = 'image/svg+xml'): CardLogo => ({
      content,
      contentType,
      width: 120,
      height: 60,
      plate: '#ffffff',
    })
    const draw = async (logo: CardLogo | undefined) => {
      const failures: string[] = []
      const renderer = createPngRenderer({
        caches: createCaches(),
        onFailure: (reason) => failures.push(reason),
        limitMilliseconds: 120_000,
      })
      const render = (title: string) => renderer.render(shareCard(title, { schoolName: 'Lanternfield', theme, logo }), 'one')
      return { picture: await render('Clay'), again: () => render('Wood'), failures }
    }

    test('a vector logo and a raster logo are drawn', async () => {
      const { picture: without } = await draw(undefined)
      const { picture: vector } = await draw(logoOf(svg(gold)))
      expect(imageSize(vector)).toMatchObject({ type: 'png', width: 1200, height: 630 })
      expect(vector.equals(without)).toBe(false)
      // A PNG: the card itself.
      const { picture: raster } = await draw(logoOf(without, 'image/png'))
      expect([raster.equals(without), raster.equals(vector)]).toEqual([false, false])
    })

    test('a logo that is broken, empty or of another format leaves a picture with the first letter', async () => {
      const { picture: without } = await draw(undefined)
      for (const logo of [
        logoOf(without.subarray(0, 200), 'image/png'),
        logoOf(Buffer.from('not a picture'), 'image/jpeg'),
        logoOf(svg('')),
        logoOf(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect')),
        logoOf(svg('<image href="file:///etc/passwd" width="9" height="9"/><image href="http://127.0.0.1/" width="9" height="9"/>')),
      ]) {
        const { picture } = await draw(logo)
        expect([logo.content.toString('latin1').slice(0, 40), picture.equals(without)]).toEqual([
          logo.content.toString('latin1').slice(0, 40),
          true,
        ])
      }
    })

    test('a logo that breaks the thread is given up once, and not attempted for the next page', async () => {
      const { picture, again, failures } = await draw(logoOf(svg(gold), 'image/png"><'))
      const { picture: without, again: withoutAgain } = await draw(undefined)
      expect(picture.equals(without)).toBe(true)
      expect((await again()).equals(await withoutAgain())).toBe(true)
      expect(failures.length).toBe(1)
    })

    test('a drawing with a million elements leaves a picture with the first letter', async () => {
      const levels = Array.from({ length: 6 }, (_, level) => `<g id="l${level + 1}">${`<use href="#l${level}"/>`.repeat(10)}</g>`)
      const many = svg(`<defs><g id="l0"><rect width="9" height="9"/></g>${levels.join('')}</defs><use href="#l6"/>`)
      const [{ picture }, { picture: without }] = [await draw(logoOf(many)), await draw(undefined)]
      expect(picture.equals(without)).toBe(true)
    })

    test('the previews of pages show the logo that the school uploads', async () => {
      const card = async () => Buffer.from(await (await fetch(`${service.issuer}/assets/share.png`)).arrayBuffer())
      const before = await card()
      const form = new FormData()
      for (const [name, value] of [
        ['purpose', 'image'],
        ['visibility', 'public'],
      ] as const)
        form.set(name, value)
      form.set('file', new Blob([svg(gold)], { type: 'image/svg+xml' }), 'logo.svg')
      const { id } = await owner.upload('/storage/files', form)
      await owner.call('PATCH', '/appearance', { logo: { file_id: id } }, { 'if-match': '*' })
      const after = await card()
      expect(after.equals(before)).toBe(false)
      expect((await card()).equals(after)).toBe(true)
      await service.database.sql.query("UPDATE file SET storage_key = 'gone' WHERE id = $1", [fromPublicId('fil', String(id))])
      await owner.call('PATCH', '/appearance', { logo: null }, { 'if-match': '*' })
      expect((await card()).equals(before)).toBe(true)
    })
  })

  test('are named by the pages of the school, and show no page that visitors cannot open', async () => {
    const { id } = await owner.call('POST', '/lecturers', { display_name: 'Marlo Quillfeather', slug: 'marlo' })
    expect(id).toMatch(/^lec_/)
    await owner.call('POST', '/posts', { title: 'A draft', slug: 'draft' })
    for (const path of ['/', '/lecturers', '/lecturers/marlo']) {
      const html = await page(path)
      const [, address = ''] = /<meta property="og:image" content="([^"]+)"/.exec(html) ?? []
      expect(new URL(address).origin).toBe(service.issuer)
      expect([path, await picture(address)]).toEqual([path, { status: 200, type: 'image/png', size: ['png', 1200, 630] }])
    }
    for (const path of [
      '/assets/share/posts/draft.png',
      '/assets/share/courses/none.png',
      '/assets/share/x.png',
      '/assets/share/..%2f.png',
    ])
      expect([path, (await picture(path)).status]).toEqual([path, 404])
    expect((await fetch(`${service.issuer}/assets/share.png`, { method: 'POST' })).status).toBe(405)
  })

  test('are the icons of the web manifest and of phones', async () => {
    const html = await page('/')
    for (const name of ['<link rel="manifest" href="/manifest.webmanifest">', '<link rel="apple-touch-icon" href="/apple-touch-icon.png">'])
      expect(html).toContain(name)
    expect(html).toMatch(/<meta name="theme-color" media="\(prefers-color-scheme: dark\)" content="#[0-9a-f]{6}">/)
    const manifest = Object(await (await fetch(`${service.issuer}/manifest.webmanifest`)).json())
    expect(manifest).toMatchObject({ name: 'First School', start_url: '/' })
    for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
      const [width, height] = sizes.split('x').map(Number)
      expect(await picture(src)).toEqual({ status: 200, type: 'image/png', size: ['png', width, height] })
    }
  })
})
