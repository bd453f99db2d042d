// Proves interface: A page says and offers to a visitor, a learner and a subscriber what the API says to the same person, and no cache shares the page of a person
import { beforeAll, describe, expect, test } from 'vitest'
import { toPublicId } from '../../src/base/ids.ts'
import { createAgent, personCalled } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { send, signedIn } from './account/account.ts'
import { type Browser, createBrowser } from './browser.ts'
import { asHtml, siteOwner } from './siteVisitor.ts'

/** Somebody who reads the site: their browser, and the API as the same person. */
interface Reader {
  name: string
  memberId?: string
  browser: Browser
  api(path: string): Promise<Record<string, unknown>>
}

const visibilities = ['public', 'members', 'paid'] as const
const accesses = ['free', 'paid', 'plan-only'] as const

describe.each(await databasesToTest())('the site for people who are signed in, on $name', ({ open }) => {
  const service = duringTests(() =>
    startService({
      open,
      school: { checkout_url: 'https://shop.example.com/{type}/{id}?price={price}' },
    }),
  )
  const owner = duringTests(() => siteOwner(service))
  let plan: Record<string, unknown>
  let lessons: { preview: string; other: string }
  const readers: Reader[] = []

  beforeAll(async () => {
    await publishRows()
    readers.push({ name: 'visitor', browser: createBrowser(service.issuer), api: (path) => read(path) })
    for (const name of ['learner', 'subscriber']) readers.push(await reader(name))
    const { memberId: member_id } = readerCalled('subscriber')
    const [price] = (await read(`/membership_plans/${plan.slug}`)).prices as { id: string }[]
    await owner.call('POST', '/subscriptions', { member_id, plan_id: plan.id, price_id: price?.id, collection: 'comped' })
  })

  const read = async (path: string, headers: Record<string, string> = {}): Promise<Record<string, unknown>> =>
    Object(await (await fetch(`${service.issuer}/api/v1${path}`, { headers })).json())
  const readerCalled = (name: string): Reader => {
    const found = readers.find((one) => one.name === name)
    if (!found) throw new Error(`there is no ${name}`)
    return found
  }
  async function reader(name: string): Promise<Reader> {
    const email = `${name}@school.example`
    const { personId } = await service.addPerson({ email })
    const agent = await createAgent(service.issuer)
    const scope = 'courses:read posts:read members:read events:read'
    const { access_token: token } = (await agent.tokens(personCalled(email), { scope }, { scopes: 'all' })).body
    return {
      name,
      memberId: toPublicId('mbr', personId),
      browser: await signedIn(service, email),
      api: (path) => read(path, { authorization: `Bearer ${token}` }),
    }
  }

  async function publishRows(): Promise<void> {
    plan = await owner.call('POST', '/membership_plans', { name: 'Workbench', slug: 'workbench', benefits: ['A bench for you'] })
    for (const [interval, amount] of [
      ['month', 1200],
      ['year', 12_000],
    ])
      await owner.call('POST', `/membership_plans/${plan.id}/prices`, { interval, amount: { amount, currency: 'EUR' } })
    await owner.call('POST', `/membership_plans/${plan.id}/activate`, {})
    const { id: lecturer } = await owner.call('POST', '/lecturers', { display_name: 'Marlo', headline: 'Potter' })
    const ids: string[] = []
    for (const access of accesses) {
      const price = access === 'paid' ? { price: { amount: 8900, currency: 'EUR' } } : {}
      const course = await owner.call('POST', '/courses', {
        title: `A ${access} course`,
        slug: access,
        access: access.replace('-', '_'),
        lecturer_ids: [lecturer],
        ...price,
      })
      const section = await owner.call('POST', `/courses/${course.id}/sections`, { title: 'Bowls' })
      const lesson = async (title: string, is_preview: boolean): Promise<string> => {
        const { id } = await owner.call('POST', `/sections/${section.id}/lessons`, {
          title,
          kind: 'text',
          is_preview,
          content: `Words of ${title}`,
        })
        await owner.call('POST', `/lessons/${id}/publish`, {})
        return String(id)
      }
      lessons = { preview: await lesson('Wedging', true), other: await lesson('Throwing', false) }
      await owner.call('POST', `/courses/${course.id}/publish`, {})
      if (access !== 'free') ids.push(String(course.id))
    }
    await owner.call('PATCH', `/membership_plans/${plan.id}`, { includes: { course_ids: ids } }, { 'if-match': '*' })
    for (const visibility of visibilities) {
      const post = await owner.call('POST', '/posts', {
        title: `A ${visibility} post`,
        slug: visibility,
        visibility,
        content: `Body of ${visibility}`,
      })
      await owner.call('POST', `/posts/${post.id}/publish`, {})
    }
  }

  const stepsOn = (html: string): string[] =>
    [...html.matchAll(/<(?:a class="button main"|button class="main")[^>]*>([^<]+)</g)].map(([, label = '']) => label)
  const signInTo = (path: string): string => `href="/account/sign-in?${new URLSearchParams({ return_to: path })}"`

  test.each(visibilities)('a post for %s is open for exactly those to whom the API shows its text', async (slug) => {
    for (const { name, browser, api } of readers) {
      const row = await api(`/posts/${slug}`)
      const { html } = await browser.get(`/posts/${slug}`)
      const isOpen = row.content_access === 'full'
      expect([name, html.includes(`Body of ${slug}`)]).toEqual([name, isOpen])
      expect([name, html.includes('>See memberships</a>')]).toEqual([name, !isOpen])
      expect([name, html.includes(`<a class="button main" ${signInTo(`/posts/${slug}`)}`)]).toEqual([name, !isOpen && name === 'visitor'])
    }
  })

  test.each(accesses)('a %s course offers what the person can do with it, and the form enrols where the API does', async (slug) => {
    const expected: Record<string, Record<string, string[]>> = {
      free: { visitor: ['Sign in to enrol'], learner: ['Enrol'], subscriber: ['Enrol'] },
      paid: { visitor: ['Buy this course'], learner: ['Buy this course'], subscriber: ['Enrol'] },
      'plan-only': { visitor: ['See memberships'], learner: ['See memberships'], subscriber: ['Enrol'] },
    }
    for (const { name, browser, api } of readers) {
      const page = await browser.get(`/courses/${slug}`)
      expect([name, stepsOn(page.html)]).toEqual([name, expected[slug]?.[name]])
      if (!page.html.includes('action="/account/enrol"')) continue
      const done = await send(browser, page, {}, /enrol/)
      expect([done.status, done.location?.pathname]).toEqual([303, `/account/courses/${slug}`])
      expect((await api(`/courses/${slug}`)).my_enrollment).toMatchObject({ status: 'active' })
      const after = await browser.get(`/courses/${slug}`)
      expect(stepsOn(after.html)).toEqual(['Start the course'])
      expect(after.html).toMatch(new RegExp(`href="/account/courses/${slug}/lessons/les_`))
    }
  })

  test('a form that enrols in a course that must be paid for, or without its token, enrols no one', async () => {
    const { browser, api } = readerCalled('learner')
    const { id } = await api('/courses/paid')
    const page = await browser.get('/courses/plan-only')
    expect((await browser.post('/account/enrol', { course: String(id), csrf: 'no-token' })).status).toBe(403)
    const { html } = await browser.get('/account/apps')
    const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? /name="csrf" value="([^"]+)"/.exec(page.html)?.[1] ?? ''
    const refused = await browser.post('/account/enrol', { course: String(id), csrf })
    expect([refused.status, refused.html.includes('must be paid')]).toEqual([422, true])
    expect((await api('/courses/paid')).my_enrollment).toBeNull()
  })

  test('a plan leads to the checkout with the chosen price, and says to whom it belongs', async () => {
    for (const { name, browser } of readers) {
      const { html } = await browser.get('/plans/workbench')
      const steps = stepsOn(html)
      expect([name, steps]).toEqual([
        name,
        name === 'subscriber' ? ['Manage your membership'] : ['Join for €12.00 per month', 'Join for €120.00 per year'],
      ])
      const { prices } = await read('/membership_plans/workbench')
      for (const { id } of prices as { id: string }[]) expect(html.includes(`price=${id}`)).toBe(name !== 'subscriber')
    }
  })

  test('a preview is open for everybody, any other lesson for enrolled people alone', async () => {
    const path = (id: string): string => `/courses/plan-only/lessons/${id}`
    const { browser } = readerCalled('visitor')
    const page = await browser.get(path(lessons.preview))
    expect([page.status, page.html.includes('Words of Wedging')]).toEqual([200, true])
    expect((await browser.get('/courses/plan-only')).html).toContain(`href="${path(lessons.preview)}"`)
    expect((await browser.get(path(lessons.other))).status).toBe(404)
    expect((await browser.get(`/courses/free/lessons/${lessons.preview}`)).status).toBe(404)
  })

  test('no cache shares the page of a person, and theirs has their name', async () => {
    for (const { name, browser } of readers) {
      const { html, headers } = await browser.get('/courses/free')
      const isVisitor = name === 'visitor'
      expect([name, headers.get('cache-control')]).toEqual([name, isVisitor ? 'public, max-age=60' : 'private, no-store'])
      expect(headers.get('vary')).toContain('Cookie')
      expect(html.includes('<a href="/account"><bdi>')).toBe(!isVisitor)
      expect(html.includes('csrf')).toBe(false)
    }
    const shared = await (await fetch(`${service.issuer}/courses/free`, { headers: asHtml })).text()
    expect([shared.includes('<bdi>learner'), shared.includes('Start the course')]).toEqual([false, false])
  })

  test('the sign-in leads back to the page, and to no other site', async () => {
    await service.addPerson({ email: 'back@school.example' })
    const browser = createBrowser(service.issuer)
    for (const [asked, expected] of [
      ['/posts/members', '/posts/members'],
      ['/courses?q=clay', '/courses?q=clay'],
      ['/', '/'],
      ['//evil.example/courses', '/account'],
      ['https://evil.example/', '/account'],
      ['/courses\\@evil.example', '/account'],
    ]) {
      const page = await createBrowser(service.issuer).get(`/account/sign-in?${new URLSearchParams({ return_to: asked ?? '' })}`)
      const hidden = /name="return_to" value="([^"]*)"/.exec(page.html)?.[1]
      expect([asked, hidden?.replaceAll('&#61;', '=') ?? '/account']).toEqual([asked, expected])
    }
    expect((await browser.get('/posts/members')).html).toContain('Sign in to read')
  })
})
