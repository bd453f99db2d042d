// Proves interface: What public and signed-in pages of the demo school say to a visitor, a learner, a member and staff is what the API says to the same person
import { beforeAll, describe, expect, test } from 'vitest'
import { type SiteKind, sitePath } from '../../src/engine/sitePaths.ts'
import { makeDemoSchool } from '../../src/operate/demo/makeDemoSchool.ts'
import { money } from '../../src/pages/site/valueTexts.ts'
import { createTexts } from '../../src/pages/texts.ts'
import { allScopes, createAgent, personCalled } from '../support/agent.ts'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { passwordHash, startService } from '../support/service.ts'
import { signedIn } from './account/account.ts'
import { type Browser, createBrowser } from './browser.ts'

type Row = Record<string, unknown>

interface Reader {
  name: string
  browser: Browser
  api(path: string): Promise<Row>
}

const texts = createTexts('en')
const own = { learner: 'fresh@example.org', member: 'learner001@example.org', staff: 'owner@example.com' }

describe.each(await databasesToTest())('the pages of the demo school, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open }))
  const readers: Reader[] = []

  beforeAll(async () => {
    const [entry] = service.app.schools.all
    if (!entry) throw new Error('the service has no school')
    await makeDemoSchool(service.database, { school: entry.school, now: new Date(), hashPassword: async () => passwordHash })
    await service.addPerson({ email: own.learner })
    const read = async (path: string, headers: Record<string, string> = {}): Promise<Row> =>
      Object(await (await fetch(`${service.issuer}/api/v1${path}`, { headers })).json())
    readers.push({ name: 'visitor', browser: createBrowser(service.issuer), api: (path) => read(path) })
    const agent = await createAgent(service.issuer)
    for (const [name, email] of Object.entries(own)) {
      const { access_token: token } = (await agent.tokens(personCalled(email), { scope: allScopes }, { scopes: 'all' })).body
      const authorization = { authorization: `Bearer ${token}` }
      readers.push({ name, browser: await signedIn(service, email), api: (path) => read(path, authorization) })
    }
  })

  const rowsOf = async ({ api }: Reader, path: string): Promise<Row[]> => (await api(path)).data as Row[]
  /** The text of the main part of a page, in one line, without tags and directions. */
  const textOf = (html: string): string =>
    (html.split('<main')[1] ?? html)
      .replace(/<[^>]+>/g, ' ')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&')
      .replace(/\s+/g, ' ')
  const stepOn = (html: string): string[] =>
    [...html.matchAll(/<(?:a class="button main"|button class="main")[^>]*>([^<]+)</g)].map(([, label = '']) => label)
  const has = (html: string, words: string): boolean => textOf(html).includes(words.replace(/\s+/g, ' '))

  /** Compares the pages of all rows of a kind with the rows, for every reader. Both are lists of texts. */
  const compare = async (
    kind: SiteKind,
    {
      list,
      row,
      more,
    }: {
      list: string
      row(row: Row, html: string, reader: Reader): [shown: unknown, expected: unknown]
      /** Reads more about a row, which `row` gets with it. */
      more?(row: Row, reader: Reader): Promise<Row>
    },
  ): Promise<void> => {
    for (const reader of readers) {
      const rows = await rowsOf(reader, `${list}&limit=100`)
      expect([reader.name, rows.length > 0]).toEqual([reader.name, true])
      for (const { slug } of rows) {
        const [one, page] = await Promise.all([
          reader.api(`${list.split('?')[0]}/${slug}`),
          reader.browser.get(sitePath(kind, String(slug))),
        ])
        const [shown, expected] = row({ ...one, ...(await more?.(one, reader)) }, page.html, reader)
        expect([reader.name, slug, page.status, shown]).toEqual([reader.name, slug, 200, expected])
      }
    }
  }

  test('courses: the price, the way in, the enrolment and its progress', () =>
    compare('courses', {
      list: '/courses?status=published',
      row({ access, price, my_enrollment, enrollment_open }, html, { name }) {
        const mine = my_enrollment as { status: string; progress_percent: number } | null | undefined
        const isOpen = mine?.status === 'active' || mine?.status === 'completed'
        const shown = access === 'paid' ? money(price as { amount: number; currency: string }, texts) : ''
        const percent = mine?.status === 'active' ? `Progress: ${mine.progress_percent}%` : ''
        return [
          {
            price: has(html, shown),
            progress: has(html, percent),
            opens: stepOn(html).some((label) => / the course$/.test(label)),
            enrols: access === 'free' && stepOn(html).includes('Enrol'),
            signsIn: stepOn(html).includes('Sign in to enrol'),
          },
          {
            price: true,
            progress: true,
            opens: isOpen,
            enrols: (name === 'learner' || name === 'member') && access === 'free' && enrollment_open === true && !isOpen,
            signsIn: name === 'visitor' && access === 'free' && enrollment_open === true,
          },
        ]
      },
    }))

  test('events: the state of the registration, the place, the price and the seats', () =>
    compare('events', {
      list: '/events?status=published',
      row({ location, price, phase, my_rsvp, seats_left }, html, { name }) {
        const place = location as { name: string } | null
        const rsvp = my_rsvp as { status: string } | null | undefined
        const isComing = phase !== 'ended'
        const isRegistered = isComing && (rsvp?.status === 'going' || rsvp?.status === 'waitlisted')
        return [
          {
            place: has(html, place?.name ?? ''),
            price: !price || !isComing || has(html, money(price as { amount: number; currency: string }, texts)),
            registered: has(html, 'You are registered') || has(html, 'waiting list at position'),
            seats: !isComing || typeof seats_left !== 'number' || has(html, seats_left === 0 ? 'Fully booked' : String(seats_left)),
            ended: has(html, 'This event is over') || has(html, 'has ended') || isComing,
          },
          { place: true, price: true, registered: isRegistered && name !== 'visitor', seats: true, ended: true },
        ]
      },
    }))

  test('posts and events: the comments, and whether the reader can add one', async () => {
    const counts = { comments: 0, forms: 0, links: 0 }
    for (const kind of ['posts', 'events'] as const)
      await compare(kind, {
        list: `/${kind}?status=published`,
        row({ comments, mayComment }, html, { name }) {
          const ids = (comments as Row[]).filter(({ status }) => status === 'published').map(({ id }) => String(id))
          const shown = [...html.matchAll(/<li id="(cmt_[^"]+)">/g)].map(([, id = '']) => id)
          const form = html.includes('<textarea id="comment"')
          const link = html.includes('>Sign in to comment</a>')
          counts.comments += shown.length
          counts.forms += Number(form)
          counts.links += Number(link)
          return [
            { shown: shown.toSorted(), form, link },
            // The API does not say who may take part in a restricted event.
            { shown: ids.toSorted(), form: name !== 'visitor' && (mayComment ?? form), link: name === 'visitor' && (mayComment ?? false) },
          ]
        },
        async more({ id, ...row }, { api }) {
          const { data } = await api(`/${kind}/${id}/comments?status=published&limit=100`)
          const isOpen = kind === 'posts' ? row.content_access === 'full' : row.access === 'public' || undefined
          return { comments: data, mayComment: row.status === 'published' ? isOpen : false }
        },
      })
    expect(Object.values(counts).every((count) => count > 0)).toBe(true)
  })

  test.each([
    ['courses', '/courses?status=published&visibility=public,members'],
    ['posts', '/posts?status=published'],
    ['plans', '/membership_plans?status=active'],
    ['lecturers', '/lecturers?status=active'],
  ] as const)('the list of %s has the rows that the API lists, in its order', async (kind, path) => {
    for (const reader of readers) {
      const rows = await rowsOf(reader, reader.name === 'visitor' ? path.replace(/\?.*/, '?limit=100') : `${path}&limit=100`)
      const { html } = await reader.browser.get(sitePath(kind))
      const links = [...html.matchAll(new RegExp(`<p class="(?:name|choose)"[^>]*><a[^>]* href="${sitePath(kind)}/([^"]+)"`, 'g'))].map(
        ([, slug]) => slug,
      )
      expect([reader.name, links]).toEqual([reader.name, rows.map(({ slug }) => slug)])
    }
  })

  test('the account pages list the enrolments, certificates, products, orders and memberships of the API', async () => {
    for (const reader of readers.filter(({ name }) => name !== 'visitor')) {
      const { browser, api } = reader
      const { student_id: student, member_id: member } = (await api('/account')).membership as Record<string, string | null>
      const learning = (await browser.get('/account')).html
      const enrollments = student ? await rowsOf(reader, `/enrollments?student_id=${student}&expand=course&limit=100`) : []
      for (const { course, progress_percent, status: state, certificate } of enrollments as {
        course: Row
        progress_percent: number
        status: string
        certificate: Row | null
      }[]) {
        expect([reader.name, has(learning, String(course.title)), state === 'completed' || has(learning, `${progress_percent}%`)]).toEqual([
          reader.name,
          true,
          true,
        ])
        if (!certificate) continue
        expect(learning).toContain(`/certificates/${certificate.number}`)
        const { status, html } = await browser.get(`/certificates/${certificate.number}`)
        expect([status, has(html, String(course.title)), has(html, 'This certificate is valid.')]).toEqual([200, true, true])
      }
      if (enrollments.length === 0) expect(has(learning, 'You have no current courses.')).toBe(true)
      const owned = (await rowsOf(reader, '/digital_products?owned=true&limit=100')) as { title: string; files?: unknown[] }[]
      for (const { title } of owned.filter(({ files = [] }) => files.length > 0))
        expect([reader.name, title, has(learning, title)]).toEqual([reader.name, title, true])
      const orders = (await browser.get('/account/orders')).html
      const bought = student ? await rowsOf(reader, `/orders?student_id=${student}&limit=20`) : []
      for (const { number, total } of bought as { number: string; total: { amount: number; currency: string } }[])
        expect([reader.name, has(orders, number), has(orders, money(total, texts))]).toEqual([reader.name, true, true])
      const membership = (await browser.get('/account/membership')).html
      const subscriptions = member ? await rowsOf(reader, `/subscriptions?member_id=${member}&expand=plan&limit=100`) : []
      for (const { plan } of subscriptions as { plan: Row }[]) expect(has(membership, String(plan.name))).toBe(true)
      expect([reader.name, has(membership, 'Active')]).toEqual([reader.name, subscriptions.some(({ status }) => status === 'active')])
    }
  })
})
