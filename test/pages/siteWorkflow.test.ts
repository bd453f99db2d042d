// Proves WCAG 2.2 3.1.2: Texts of public pages are laid out in their own direction, those of a course have its language

import { describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { markdownErrors } from '../support/markdown.ts'
import { startService } from '../support/service.ts'
import { asHtml, asMarkdown, dataIn, sitemapOf, siteOwner } from './siteVisitor.ts'

/** The properties that a search engine requires of each type of page. */
const required: Record<string, string[]> = {
  courses: ['Course', 'name', 'description', 'provider'],
  events: ['Event', 'name', 'startDate', 'location'],
  lecturers: ['Person', 'name', 'url'],
  posts: ['BlogPosting', 'headline', 'datePublished', 'author'],
  plans: ['Product', 'name', 'offers'],
  pages: ['WebPage', 'name', 'url'],
}

const wild = `</script><script>alert(1)</script> & "Pots" 'n' <b>more</b>`

const glazePath = `/posts/${encodeURIComponent('釉薬')}`
const imprintPath = `/pages/${encodeURIComponent('法律')}/imprint`

describe.each(await databasesToTest())('the public pages of a new school, on $name', ({ open }) => {
  const service = duringTests(() =>
    startService({
      open,
      school: { checkout_url: 'https://shop.example.com/buy?item={type}/{id}&coupon={code}' },
    }),
  )
  const owner = duringTests(() => siteOwner(service))

  const read = async (path: string, headers: Record<string, string> = asHtml, method = 'GET') => {
    const response = await fetch(new URL(path, service.issuer), { headers, method, redirect: 'manual' })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  const withdrawals: [string, string][] = []
  let course = ''

  test('an empty school has lists without rows, a feed without entries, and no pages of rows', async () => {
    const urls = await sitemapOf(service.issuer)
    expect(urls.map((url) => new URL(url).pathname).toSorted()).toEqual(['/courses', '/events', '/lecturers', '/plans', '/posts'])
    for (const url of urls) expect((await read(url)).text).toContain('There is nothing here yet.')
    const feed = await read('/posts/feed.xml')
    expect([feed.status, feed.text.includes('<entry>'), feed.headers.get('last-modified')]).toEqual([200, false, null])
    expect((await read('/')).text).not.toContain('href="/courses"')
  })

  test('a search engine can read everything that was published through the API, from robots.txt on', async () => {
    const { call } = owner
    const id = async (path: string, body: object): Promise<string> => String((await call('POST', path, body)).id)
    const lecturer = await id('/lecturers', { display_name: `Marlo ${wild}`, slug: 'marlo', bio: '# Hello\n\nThrows pots.' })
    course = await id('/courses', {
      title: `Clay ${wild}`,
      slug: 'clay',
      description: '# A heading\n\nWedging.',
      lecturer_ids: [lecturer],
      access: 'paid',
      price: { amount: 8905, currency: 'EUR' },
    })
    const section = await id(`/courses/${course}/sections`, { title: 'First pots' })
    const lesson = await id(`/sections/${section}/lessons`, { title: 'Wedging', kind: 'text', content: 'The body of the lesson' })
    await call('POST', `/lessons/${lesson}/publish`, {})
    await call('POST', `/courses/${course}/publish`, {})
    const start = new Date(Date.now() + 86_400_000)
    const event = await id('/events', {
      title: `Kiln ${wild}`,
      slug: 'kiln',
      kind: 'in_person',
      location: { name: 'Kiln house' },
      starts_at: start.toISOString(),
      ends_at: new Date(start.getTime() + 3_600_000).toISOString(),
      lecturer_ids: [lecturer],
    })
    await call('POST', `/events/${event}/publish`, {})
    const post = await id('/posts', { title: `Firing ${wild}`, slug: '釉薬', content: 'Three bowls cracked.' })
    await call('POST', `/posts/${post}/publish`, {})
    const plan = await id('/membership_plans', { name: `Bench ${wild}`, slug: 'bench' })
    await call('POST', `/membership_plans/${plan}/prices`, { interval: 'month', amount: { amount: 1200, currency: 'EUR' } })
    await call('POST', `/membership_plans/${plan}/activate`, {})
    const page = await id('/pages', {
      title: `Imprint ${wild}`,
      slug: '法律/imprint',
      kind: 'legal',
      blocks: [{ type: 'text', props: { content: '# Who we are\n\nLamp Lane 6' } }],
    })
    await call('POST', `/pages/${page}/publish`, {})
    withdrawals.push(
      [`/courses/${course}/unpublish`, '/courses/clay'],
      [`/events/${event}/unpublish`, '/events/kiln'],
      [`/posts/${post}/archive`, glazePath],
      [`/membership_plans/${plan}/archive`, '/plans/bench'],
      [`/pages/${page}/unpublish`, imprintPath],
      [`/lecturers/${lecturer}/hide`, '/lecturers/marlo'],
    )

    const urls = await sitemapOf(service.issuer)
    for (const [, path] of withdrawals) expect(urls).toContain(service.issuer + path)
    expect(new Set(urls).size).toBe(urls.length)
    for (const url of urls) {
      const { status, headers, text } = await read(url)
      expect([url, status, headers.get('content-type')]).toEqual([url, 200, 'text/html; charset=utf-8'])
      expect(text).toContain(`<link rel="canonical" href="${url}">`)
      expect(text).not.toContain('noindex')
      expect(text.match(/<h1/g)).toHaveLength(1)
      expect(text.replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')).not.toMatch(/<script|<b>more/)
      for (const property of ['title', 'description', 'url', 'site_name', 'type']) expect(text).toContain(`<meta property="og:${property}"`)
      const [, kind = '', slug] = new URL(url).pathname.split('/')
      const nodes = dataIn(text)
      expect(nodes.map((node) => node['@type'])).toEqual(expect.arrayContaining(['BreadcrumbList', 'EducationalOrganization']))
      const [type, ...properties] = required[kind] ?? []
      const node = nodes.find((one) => one['@type'] === (slug === undefined ? 'ItemList' : type))
      for (const property of slug === undefined ? ['itemListElement'] : properties)
        expect([url, node?.[property]]).not.toEqual([url, undefined])
      const markdown = await read(url, asMarkdown)
      expect([url, markdown.status, markdown.headers.get('content-type')]).toEqual([url, 200, 'text/markdown; charset=utf-8'])
      expect([url, await markdownErrors(markdown.text)]).toEqual([url, []])
      expect((await read(`${url}.md`, {})).text).toBe(markdown.text)
    }
    const { text } = await read('/courses/clay')
    for (const shown of ['First pots', 'Wedging', '€89.05', '/lecturers/marlo', `https://shop.example.com/buy?item=course/${course}`])
      expect(text).toContain(shown)
    expect(text).not.toContain('The body of the lesson')
    expect(dataIn(text)[0]).toMatchObject({ name: `Clay ${wild}`, offers: { price: '89.05', priceCurrency: 'EUR' } })
    expect((await read('/')).text).toMatch(/href="\/courses".*href="\/events".*href="\/posts".*href="\/lecturers".*href="\/plans"/s)
    const llms = await (await fetch(`${service.issuer}/llms.txt`)).text()
    for (const path of ['/courses.md', '/posts.md', '/posts/feed.xml']) expect(llms).toContain(service.issuer + path)
  })

  test('an id, a slug in another form and a path that ends with a slash lead to the only path of a page', async () => {
    for (const [from, to] of [
      [`/courses/${course}`, '/courses/clay'],
      [`/courses/${course}.md`, '/courses/clay.md'],
      ['/courses/', '/courses'],
      ['/courses/Cl%C3%A4y', '/courses/clay'],
      [glazePath.toLowerCase(), glazePath],
      ['/pages/%E6%B3%95%E5%BE%8B%2FIMPRINT', imprintPath],
    ] as const) {
      const { status, headers } = await read(from)
      expect([from, status, headers.get('location')]).toEqual([from, 301, service.issuer + to])
    }
  })

  test('the former address of a page leads to the current one, also in Markdown', async () => {
    await owner.call('PATCH', `/courses/${course}`, { slug: 'clay-2' })
    for (const suffix of ['', '.md']) {
      const { status, headers } = await read(`/courses/clay${suffix}`)
      expect([status, headers.get('location')]).toEqual([301, `${service.issuer}/courses/clay-2${suffix}`])
    }
    await owner.call('PATCH', `/courses/${course}`, { slug: 'clay' })
    expect((await read('/courses/clay')).status).toBe(200)
  })

  test('texts are laid out in their own direction, and those of a course have its language', async () => {
    const { call } = owner
    const title = 'دورة العربية (1): مقدمة!'
    const tag = { 'if-match': '*' }
    const before = await call('GET', `/courses/${course}`)
    await call('PATCH', `/courses/${course}`, { title, language: 'ar' }, tag)
    const { text } = await read('/courses/clay')
    expect(text).toContain(`<h1 dir="auto" lang="ar">${title}</h1>`)
    expect(text).toMatch(/<div class="prose" dir="auto" lang="ar">/)
    expect(text).toContain('<bdi lang="ar">Wedging</bdi>')
    expect((await read('/courses')).text).toMatch(/<p class="name" dir="auto" lang="ar"><a href="\/courses\/clay">/)
    expect((await read('/lecturers/marlo')).text).toMatch(/<p class="name" dir="auto" lang="ar">/)
    await call('PATCH', `/courses/${course}`, { title: before.title, language: before.language }, tag)
  })

  test('the feed is Atom with absolute addresses, and is revalidated by its tag or its date', async () => {
    const { status, headers, text } = await read('/posts/feed.xml')
    expect([status, headers.get('content-type')]).toEqual([200, 'application/atom+xml; charset=utf-8'])
    expect(text).toContain('<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">')
    expect(text).toContain(`<link rel="alternate" type="text/html" href="${service.issuer}${glazePath}"/>`)
    expect(text).toContain('<title>Firing &lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;Pots&quot;')
    expect(text).toContain('<summary>Three bowls cracked.</summary>')
    const [etag = '', modified = ''] = ['etag', 'last-modified'].map((name) => headers.get(name) ?? undefined)
    expect((await read('/posts/feed.xml', { 'if-none-match': etag })).status).toBe(304)
    expect((await read('/posts/feed.xml', { 'if-modified-since': modified })).status).toBe(304)
    expect((await read('/posts/feed.xml', { 'if-modified-since': new Date(0).toUTCString() })).status).toBe(200)
    // The tag decides if both are sent (RFC 9110 section 13.1.3).
    expect((await read('/posts/feed.xml', { 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
    expect((await read('/posts')).text).toContain('<link rel="alternate" type="application/atom+xml"')
  })

  test('a page can be cached and revalidated, answers HEAD, and refuses other methods', async () => {
    const whole = await read('/courses/clay')
    expect(whole.headers.get('cache-control')).toBe('public, max-age=60')
    expect(whole.headers.get('vary')).toMatch(/Accept, Accept-Language, Cookie/)
    expect(whole.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'/)
    expect((await read('/courses/clay', { ...asHtml, 'if-none-match': whole.headers.get('etag') ?? '' })).status).toBe(304)
    const head = await read('/courses/clay', asHtml, 'HEAD')
    expect([head.status, head.text, head.headers.get('etag')]).toEqual([200, '', whole.headers.get('etag')])
    const refused = await read('/courses/clay', asHtml, 'POST')
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
    const chosen = await read('/courses/clay?lang=de')
    expect(chosen.text).toContain('<html lang="de">')
    expect([chosen.headers.get('cache-control'), chosen.headers.get('set-cookie')]).toEqual([
      'private, no-store',
      expect.stringContaining('de'),
    ])
  })

  test.each([
    ['text/html', 'text/html'],
    ['*/*', 'text/html'],
    ['text/markdown', 'text/markdown'],
    ['text/html;q=0.5, text/markdown', 'text/markdown'],
    ['text/markdown;q=0.5, text/html', 'text/html'],
  ])('Accept: %s gets %s', async (accept, type) => {
    expect((await read('/courses/clay', { accept })).headers.get('content-type')).toBe(`${type}; charset=utf-8`)
  })

  test('another type is not acceptable', async () => {
    expect((await read('/courses/clay', { accept: 'image/png' })).status).toBe(406)
  })

  test('a long list has pages that lead to every row', async () => {
    const { call } = owner
    const add = async (index: number): Promise<void> => {
      const { id } = await call('POST', '/posts', { title: `Note ${index}`, content: 'x' })
      await call('POST', `/posts/${id}/publish`, {})
    }
    await Promise.all(Array.from({ length: 24 }, (_, index) => add(index)))
    const seen = new Set<string>()
    let path: string | undefined = '/posts'
    let pages = 0
    while (path !== undefined && pages < 5) {
      const { text } = await read(path)
      for (const [, slug = ''] of text.matchAll(/href="\/posts\/([a-z0-9%-]+)"/gi)) seen.add(slug)
      expect(text.includes('noindex')).toBe(pages > 0)
      path = /<a class="button" rel="next" href="([^"]+)"/.exec(text)?.[1]
      pages += 1
    }
    expect([pages, seen.size]).toEqual([2, 25])
    expect((await read('/posts?cursor=nothing')).status).toBe(400)
  })

  test('a list is narrowed by words and filters, and its form keeps them', async () => {
    const { text } = await read('/courses?level=beginner&q=clay&unknown=1&sort=nothing')
    expect(text).toContain('name="q" maxlength="100" value="clay"')
    expect(text).toMatch(/<option value="beginner" selected>/)
    expect(text).toMatch(/noindex/)
    const other = await read('/courses?level=advanced')
    expect([other.status, other.text.includes('0 results'), other.text.includes('href="/courses/clay"')]).toEqual([200, true, false])
    const found = await read('/search?q=clay')
    expect([found.status, found.text.includes('href="/courses/clay"')]).toEqual([200, true])
    expect((await read('/search?q=%22%3E%3Cscript%3E')).text).not.toContain('"><script>')
  })

  test('the home page is the page that the school chose, in the frame of the site, otherwise its lists', async () => {
    const tag = { 'if-match': '*' }
    expect((await read('/')).text).toContain('href="/courses/clay"')
    const { id } = await owner.call('POST', '/pages', { title: 'Welcome to the workshop', slug: 'front' })
    await owner.call('POST', `/pages/${id}/publish`, {})
    await owner.call('PATCH', '/appearance', { home_page_id: id }, tag)
    const { text, headers } = await read('/')
    expect([text.includes('Welcome to the workshop'), text.includes('<nav class="menu"'), headers.get('cache-control')]).toEqual([
      true,
      true,
      'public, max-age=60',
    ])
    expect(text).toContain(`<link rel="canonical" href="${service.issuer}/"`)
    await owner.call('PATCH', '/appearance', { home_page_id: null }, tag)
  })

  test('a browser gets a page where there is nothing, and guessed addresses lead on; programs get JSON', async () => {
    for (const path of ['/nope', '/docs/nope', '/courses/nope']) {
      const { status, headers, text } = await read(path)
      expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store'])
      for (const part of ['<nav class="menu"', 'action="/search"', 'href="/courses"'])
        expect([path, text.includes(part)]).toEqual([path, true])
    }
    for (const [path, to] of [
      ['/login', '/account/sign-in'],
      ['/blog?a=b', '/posts?a=b'],
      ['/Courses/', '/courses'],
    ]) {
      const { status, headers } = await read(path ?? '')
      expect([path, status, headers.get('location')]).toEqual([path, 302, `${service.issuer}${to}`])
    }
    const program = await read('/nope', { accept: '*/*' })
    expect([program.status, program.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8'])
    expect((await read('/api/v1/nope')).headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('withdrawn rows disappear from pages, lists, the feed, the sitemap and Markdown', async () => {
    expect(withdrawals).toHaveLength(6)
    for (const [action] of withdrawals) await owner.call('POST', action, {})
    const none = await read('/courses/nothing')
    const urls = await sitemapOf(service.issuer)
    const lists = ['/posts/feed.xml', '/', ...withdrawals.flatMap(([, path]) => [`/${path.split('/')[1]}`, `/${path.split('/')[1]}.md`])]
    const texts = await Promise.all(lists.map(async (list) => [list, (await read(list)).text] as const))
    for (const [, path] of withdrawals) {
      const gone = await read(path)
      const same = (text: string): string =>
        [path, new URLSearchParams({ path }).toString().slice('path='.length)].reduce(
          (all, shown) => all.replaceAll(shown, shown.includes('%2F') ? '%2Fcourses%2Fnothing' : '/courses/nothing'),
          text,
        )
      expect([path, gone.status, same(gone.text)]).toEqual([path, 404, same(none.text)])
      expect([path, (await read(path, asMarkdown)).status, (await read(`${path}.md`)).status]).toEqual([path, 404, 404])
      expect(urls).not.toContain(service.issuer + path)
      for (const [list, text] of texts) expect([path, list, text.includes(path)]).toEqual([path, list, false])
    }
  })

  test('a school whose pages another site shows has none here, and no document names one', async () => {
    await service.reload({ school: { public_pages: false } })
    for (const path of ['/courses', '/posts', '/posts/feed.xml', '/sitemap-posts.xml', '/courses.md', imprintPath])
      expect([path, (await read(path)).status]).toEqual([path, 404])
    expect(await sitemapOf(service.issuer)).toEqual([])
    expect((await read('/')).text).not.toContain('href="/posts"')
    const llms = await (await fetch(`${service.issuer}/llms.txt`)).text()
    for (const path of ['/posts.md', '/posts/feed.xml']) expect(llms).not.toContain(service.issuer + path)
  })
})
