import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { databasesToTest } from '../support/databases.ts'
import { startService, type TestService } from '../support/service.ts'
import { asHtml, asMarkdown, type SiteOwner, sitemapOf, siteOwner } from './siteVisitor.ts'

/** A row in one state, with the secrets that visitors may not read. */
interface Planted {
  path: string
  state: string
  /** True if visitors can open its page. */
  isShown: boolean
  /** True if lists, the sitemap and the feed contain it. */
  isListed: boolean
  /** Words that no visitor may read anywhere. */
  secrets: string[]
}

const lists = ['/courses', '/events', '/lecturers', '/posts', '/plans', '/pages']

describe.each(await databasesToTest())('the public pages, on $name', ({ open }) => {
  let service: TestService
  let owner: SiteOwner
  let drop: () => Promise<void>
  const planted: Planted[] = []
  beforeAll(async () => {
    const opened = await open()
    drop = opened.drop
    service = await startService({ database: opened.database, schools: 2 })
    owner = await siteOwner(service)
    for (const plant of [courses, lecturers, events, posts, plans, pages]) await plant()
  }, 120_000)
  afterAll(async () => {
    await service?.stop()
    await drop?.()
  })

  const made = async (path: string, body: object): Promise<string> => String((await owner.call('POST', path, body)).id)
  const set = (table: string, id: string, columns: Record<string, unknown>) => {
    const names = Object.keys(columns)
    const assignments = names.map((name, index) => `${name} = $${index + 2}`).join(', ')
    return service.database.sql.query(`UPDATE ${table} SET ${assignments} WHERE id = $1`, [
      fromPublicId(id.slice(0, 3), id),
      ...Object.values(columns),
    ])
  }
  const marker = (...parts: string[]): string => `secret${parts.join('').replaceAll('_', '')}`

  async function courses(): Promise<void> {
    for (const status of ['draft', 'published', 'archived']) {
      for (const visibility of ['public', 'unlisted', 'members']) {
        const [slug, secret] = [`course-${status}-${visibility}`, marker('course', status, visibility)]
        const id = await made('/courses', { title: `Course ${secret}`, slug, description: secret, tags: [secret], visibility })
        await set('course', id, { status, published_at: status === 'draft' ? null : new Date() })
        const isShown = status === 'published' && visibility !== 'members'
        const isListed = status === 'published' && visibility === 'public'
        planted.push({ path: `/courses/${slug}`, state: `${status} ${visibility}`, isShown, isListed, secrets: isShown ? [] : [secret] })
      }
    }
  }

  async function lecturers(): Promise<void> {
    for (const status of ['active', 'hidden', 'archived']) {
      const [slug, secret] = [`lecturer-${status}`, marker('lecturer', status)]
      const id = await made('/lecturers', { display_name: secret, slug, bio: secret, email: `${marker('mail', status)}@example.com` })
      await set('lecturer', id, { status })
      const isShown = status === 'active'
      const secrets = [marker('mail', status), ...(isShown ? [] : [secret])]
      planted.push({ path: `/lecturers/${slug}`, state: status, isShown, isListed: isShown, secrets })
    }
  }

  async function events(): Promise<void> {
    const start = new Date(Date.now() + 86_400_000)
    for (const status of ['draft', 'published', 'canceled']) {
      for (const access of ['public', 'members']) {
        const [slug, secret] = [`event-${status}-${access}`, marker('event', status, access)]
        const inside = `${secret}inside`
        const id = await made('/events', {
          ...{ title: `Event ${secret}`, slug, kind: 'hybrid', access, description: inside, location: { name: inside } },
          join_url: `https://meet.example.com/${marker('join', status, access)}`,
          starts_at: start.toISOString(),
          ends_at: new Date(start.getTime() + 3_600_000).toISOString(),
        })
        await set('event', id, { status, canceled_at: status === 'canceled' ? new Date() : null })
        const isShown = status !== 'draft'
        const secrets = [marker('join', status, access), ...(isShown ? (access === 'public' ? [] : [inside]) : [secret])]
        planted.push({ path: `/events/${slug}`, state: `${status} ${access}`, isShown, isListed: isShown, secrets })
      }
    }
  }

  async function posts(): Promise<void> {
    const [yesterday, tomorrow] = [-86_400_000, 86_400_000].map((span) => new Date(Date.now() + span))
    for (const status of ['draft', 'scheduled', 'published', 'archived']) {
      for (const visibility of ['public', 'members', 'paid']) {
        const [slug, secret] = [`post-${status}-${visibility}`, marker('post', status, visibility)]
        const inside = `${secret}inside`
        // The API makes an excerpt from the text of a public post only.
        const id = await made('/posts', { title: `Post ${secret}`, slug, content: inside, visibility })
        await set('post', id, {
          status,
          published_at: status === 'published' || status === 'archived' ? yesterday : null,
          scheduled_for: status === 'scheduled' ? tomorrow : null,
          archived_at: status === 'archived' ? new Date() : null,
        })
        const isShown = status === 'published'
        const secrets = isShown ? (visibility === 'public' ? [] : [inside]) : [secret]
        planted.push({ path: `/posts/${slug}`, state: `${status} ${visibility}`, isShown, isListed: isShown, secrets })
      }
    }
  }

  async function plans(): Promise<void> {
    for (const status of ['draft', 'active', 'archived']) {
      for (const visibility of ['public', 'hidden']) {
        const [slug, secret] = [`plan-${status}-${visibility}`, marker('plan', status, visibility)]
        const id = await made('/membership_plans', { name: `Plan ${secret}`, slug, description: secret, visibility })
        await owner.call('POST', `/membership_plans/${id}/prices`, { interval: 'month', amount: { amount: 900, currency: 'EUR' } })
        await set('membership_plan', id, { status })
        const isShown = status === 'active' && visibility === 'public'
        planted.push({
          path: `/plans/${slug}`,
          state: `${status} ${visibility}`,
          isShown,
          isListed: isShown,
          secrets: isShown ? [] : [secret],
        })
      }
    }
  }

  async function pages(): Promise<void> {
    for (const status of ['draft', 'published', 'archived']) {
      for (const visibility of ['public', 'unlisted', 'members']) {
        const [slug, secret] = [`page-${status}-${visibility}`, marker('page', status, visibility)]
        const blocks = (content: string): object => ({ blocks: [{ type: 'text', props: { content } }] })
        const id = await made('/pages', { title: `Page ${secret}`, slug, visibility, show_in_navigation: true, ...blocks(secret) })
        if (status !== 'draft') await owner.call('POST', `/pages/${id}/publish`, {})
        if (status === 'archived') await owner.call('POST', `/pages/${id}/archive`, {})
        const later = `${secret}draft`
        await owner.call('PATCH', `/pages/${id}`, { title: later, seo: { title: later }, ...blocks(later) }, { 'if-match': '*' })
        const isShown = status === 'published' && visibility !== 'members'
        const isListed = status === 'published' && visibility === 'public'
        planted.push({ path: `/pages/${slug}`, state: `${status} ${visibility}`, isShown, isListed, secrets: isShown ? [later] : [secret] })
      }
    }
  }

  const read = async (path: string, headers: Record<string, string>, issuer = service.issuer) => {
    const response = await fetch(issuer + path, { headers, redirect: 'manual' })
    return { status: response.status, text: await response.text() }
  }
  /** Every document in which a row could appear, apart from its page. */
  const everywhere = async (issuer: string): Promise<string> => {
    const paths = ['/', '/sitemap.xml', '/posts/feed.xml', '/llms.txt', ...lists, ...lists.map((path) => `${path}.md`)]
    const texts = await Promise.all(paths.map(async (path) => (await read(path, asHtml, issuer)).text))
    return [...texts, ...(await sitemapOf(issuer))].join('\n')
  }

  test('show exactly the rows that a visitor may open, in HTML and in Markdown', async () => {
    expect(planted).toHaveLength(45)
    for (const { path, state, isShown } of planted) {
      const status = isShown ? 200 : 404
      for (const headers of [asHtml, asMarkdown]) expect([path, state, (await read(path, headers)).status]).toEqual([path, state, status])
    }
  })

  test('are listed in lists, the sitemap and the feed exactly if lists of the API contain them, and unlisted ones are not indexed', async () => {
    const [urls, all] = [await sitemapOf(service.issuer), await everywhere(service.issuer)]
    for (const { path, state, isListed, isShown } of planted) {
      expect([path, state, urls.includes(service.issuer + path)]).toEqual([path, state, isListed])
      if (!isListed) expect([path, all.includes(path)]).toEqual([path, false])
      if (isShown) expect([path, (await read(path, asHtml)).text.includes('content="noindex"')]).toEqual([path, !isListed])
    }
  })

  test('contain no draft, no locked text, no excerpt made from it, no private address and no hidden row, in any representation', async () => {
    const pagesOf = await Promise.all(
      planted
        .flatMap(({ path }) => [read(path, asHtml), read(path, asMarkdown), read(`${path}.md`, {})])
        .map(async (one) => (await one).text),
    )
    const all = [await everywhere(service.issuer), ...pagesOf].join('\n')
    const secrets = planted.flatMap((one) => one.secrets)
    expect(secrets.length).toBeGreaterThan(40)
    // Words that visitors may read are found: the search can fail.
    for (const word of ['secretcoursepublishedpublic', 'secretpostpublishedpublicinside', 'secreteventpublishedmembers'])
      expect(all).toContain(word)
    for (const secret of secrets) expect([secret, new RegExp(`${secret}(?![a-z])`).test(all)]).toEqual([secret, false])
  })

  test('of one school are absent at the host of another', async () => {
    const all = await everywhere(service.other)
    expect(all).not.toMatch(/secret[a-z]/)
    expect(all).not.toContain(service.issuer)
    for (const { path, isShown } of planted) {
      if (isShown) expect([path, (await read(path, asHtml, service.other)).status]).toEqual([path, 404])
    }
  })

  test('that search engines should not list are absent from the sitemap and say so', async () => {
    const id = await made('/pages', {
      title: 'Not indexed',
      slug: 'not-indexed',
      seo: { noindex: true, title: 'Quiet', description: 'A quiet page' },
    })
    await owner.call('POST', `/pages/${id}/publish`, {})
    const { text } = await read('/pages/not-indexed', asHtml)
    expect(text).toContain('<meta name="robots" content="noindex">')
    expect(text).toContain('<title>Quiet · First School</title>')
    expect(text).toContain('<meta name="description" content="A quiet page">')
    expect(await sitemapOf(service.issuer)).not.toContain(`${service.issuer}/pages/not-indexed`)
  })
})
