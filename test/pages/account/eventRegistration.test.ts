import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId } from '../../../src/base/ids.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Browser, createBrowser } from '../browser.ts'
import { siteOwner } from '../siteVisitor.ts'
import { send, signedIn } from './account.ts'

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString()

describe.each(await databasesToTest())('registration for an event without scripts, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, school: { checkout_url: 'https://shop.example.com/buy?item={type}/{id}' } }))
  const owner = duringTests(() => siteOwner(service))
  const browsers = new Map<string, Browser>()
  beforeAll(async () => {
    for (const name of ['ada', 'bea']) {
      await service.addPerson({ email: `${name}@school.example` })
      browsers.set(name, await signedIn(service, `${name}@school.example`))
    }
  })

  const query = <Row extends object>(text: string, values: unknown[] = []) => service.database.sql.query<Row>(text, values)
  async function publish(fields: object = {}): Promise<{ id: string; slug: string }> {
    const { id, slug } = await owner.call('POST', '/events', {
      ...{ title: `Open kiln ${newId()}`, kind: 'in_person', location: { name: 'Kiln house' } },
      ...{ starts_at: inHours(48), ends_at: inHours(50), time_zone: 'Europe/Berlin', ...fields },
    })
    await owner.call('POST', `/events/${id}/publish`, {})
    return { id: String(id), slug: String(slug) }
  }
  const set = (id: string, fields: object) => owner.call('PATCH', `/events/${id}`, fields, { 'if-match': '*' })
  const pageOf = ({ slug }: { slug: string }): string => `/account/events/${slug}`
  /** The link of the public page to the registration: its label, or undefined. */
  async function linkOf(event: { slug: string }): Promise<string | undefined> {
    const html = await (await fetch(`${service.issuer}/events/${event.slug}`, { headers: { accept: 'text/html' } })).text()
    const markdown = await (await fetch(`${service.issuer}/events/${event.slug}.md`)).text()
    const label = new RegExp(`<a class="button main" href="${pageOf(event)}"[^>]*>([^<]+)</a>`).exec(html)?.[1]
    expect(markdown.includes(`[${label}](${service.issuer}${pageOf(event)})`)).toBe(label !== undefined)
    return label
  }
  const browserOf = (name: string): Browser => {
    const browser = browsers.get(name)
    if (!browser) throw new Error(`${name} is not signed in`)
    return browser
  }
  const show = (name: string, event: { slug: string }) => browserOf(name).get(pageOf(event))
  /** Presses the button with this label, and follows the redirection. */
  async function press(name: string, event: { slug: string }, label: string) {
    const page = await show(name, event)
    const form = page.html.match(/<form\b[\s\S]*?<\/form>/g)?.find((one) => one.includes(`>${label}</button>`))
    expect([label, form !== undefined], page.html.slice(0, 3000)).toEqual([label, true])
    const answer = await send(browserOf(name), { ...page, html: form ?? '' })
    return answer.status === 303 ? await browserOf(name).follow(answer) : answer
  }
  /** The text of a page without its tags, which isolate values. */
  const textOf = (html: string): string => html.replace(/<[^>]+>/g, '')
  const buttonsOn = (html: string): string[] =>
    [...(html.split('<main')[1] ?? html).matchAll(/<button[^>]*>([^<]+)<\/button>/g)].map(([, label = '']) => label)
  const rsvpOf = async (event: { id: string }, name: string) =>
    (
      await query<{ status: string }>(
        'SELECT r.status FROM rsvp r JOIN person p ON p.school_id = r.school_id AND p.id = r.person_id WHERE r.event_id = $1 AND p.email = $2',
        [fromPublicId('evt', event.id), `${name}@school.example`],
      )
    )[0]?.status

  test('leads from the public page over the sign-in to the registration, and back', async () => {
    const event = await publish()
    expect(await linkOf(event)).toBe('Reserve a seat')
    await service.addPerson({ email: 'cleo@school.example' })
    const browser = createBrowser(service.issuer)
    const away = await browser.get(pageOf(event))
    expect([away.status, away.location?.pathname, away.location?.searchParams.get('return_to')]).toEqual([
      303,
      '/account/sign-in',
      pageOf(event),
    ])
    const back = await send(browser, await browser.follow(away), { email: 'cleo@school.example', password })
    expect([back.status, back.location?.pathname]).toEqual([303, pageOf(event)])
    const page = await browser.follow(back)
    expect([page.status, page.html.includes('You are not registered for this event.'), /<script/.test(page.html)]).toEqual([
      200,
      true,
      false,
    ])
  })

  test('registers and withdraws, each with its message', async () => {
    const event = await publish({ capacity: 2 })
    const registered = await press('ada', event, 'Reserve a seat')
    expect([registered.status, await rsvpOf(event, 'ada')]).toEqual([200, 'going'])
    for (const text of ['You are now registered for this event.', 'You are registered for this event.'])
      expect(registered.html).toContain(text)
    expect(buttonsOn(registered.html)).toEqual(['Withdraw from the event'])
    const withdrawn = await press('ada', event, 'Withdraw from the event')
    expect([withdrawn.html.includes('You are no longer registered for this event.'), await rsvpOf(event, 'ada')]).toEqual([
      true,
      'canceled',
    ])
    expect(buttonsOn(withdrawn.html)).toEqual(['Reserve a seat'])
  })

  test('one press on the public page reserves a seat, also if it is pressed twice', async () => {
    const event = await publish({ capacity: 2 })
    const page = await browserOf('ada').get(`/events/${event.slug}`)
    const sent = await Promise.all([1, 2].map(() => send(browserOf('ada'), page, {}, /\/account\/events\//)))
    expect(sent.map(({ status, location }) => [status, location?.search])).toEqual([
      [303, '?done=going'],
      [303, '?done=going'],
    ])
    expect(await rsvpOf(event, 'ada')).toBe('going')
    expect((await browserOf('ada').get(`/events/${event.slug}`)).html).toContain('You are registered for this event.')
  })

  test('a full event offers its waitlist, if it has one', async () => {
    const event = await publish({ capacity: 1 })
    await press('bea', event, 'Reserve a seat')
    expect(await linkOf(event)).toBe('Join the waiting list')
    expect((await show('ada', event)).html).toContain('This event is fully booked. Join the waiting list')
    const waiting = await press('ada', event, 'Join the waiting list')
    expect([textOf(waiting.html).includes('You are on the waiting list, at position 1.'), await rsvpOf(event, 'ada')]).toEqual([
      true,
      'waitlisted',
    ])
    expect((await press('ada', event, 'Leave the waiting list')).html).toContain('You are no longer registered for this event.')
    await set(event.id, { waitlist_enabled: false })
    expect([await linkOf(event), buttonsOn((await show('ada', event)).html)]).toEqual(['Your registration', []])
    expect((await show('ada', event)).html).toContain('This event is fully booked.')
    expect(buttonsOn((await show('bea', event)).html)).toEqual(['Withdraw from the event'])
  })

  test.each<[string, object, string | undefined, string]>([
    [
      'opens later',
      { rsvp_opens_at: '2099-01-01T11:00:00Z', starts_at: '2099-01-05T11:00:00Z', ends_at: '2099-01-05T12:00:00Z' },
      undefined,
      'Registration opens on 1 January 2099 at 12:00 CET.',
    ],
    ['is closed', { rsvp_closes_at: inHours(-1) }, 'Your registration', 'Registration is closed.'],
    ['is for members of a plan', { access: 'members' }, 'Reserve a seat', 'You cannot register for this event'],
    ['needs a payment', { price: { amount: 1500, currency: 'EUR' } }, undefined, 'has to be paid for at the checkout'],
  ])('shows why nobody can register on the page: the event %s', async (_name, fields, label, text) => {
    const event = await publish(fields)
    await query('UPDATE person SET is_member = false WHERE email = $1', ['ada@school.example'])
    const page = await show('ada', event)
    expect([page.status, textOf(page.html).includes(text), buttonsOn(page.html), await linkOf(event)]).toEqual([200, true, [], label])
    expect(page.html.includes('https://shop.example.com/buy?item=event/')).toBe('price' in fields)
  })

  test('an event that has ended or was cancelled takes nobody', async () => {
    const [ended, canceled] = [await publish(), await publish()]
    await query(`UPDATE event SET starts_at = now() - interval '2 hours', ends_at = now() - interval '1 hour' WHERE id = $1`, [
      fromPublicId('evt', ended.id),
    ])
    await owner.call('POST', `/events/${canceled.id}/cancel`, {})
    for (const [event, text] of [
      [ended, 'This event has ended.'],
      [canceled, 'This event was cancelled.'],
    ] as const) {
      const { html } = await show('ada', event)
      expect([html.includes(text), buttonsOn(html), await linkOf(event)]).toEqual([true, [], undefined])
    }
  })

  test('an event that fills up, closes or gets a price after the page was shown answers with the reason', async () => {
    const full = await publish({ capacity: 1, waitlist_enabled: false })
    const [closed, priced, away] = [await publish(), await publish(), await publish()]
    const stale = async (event: { slug: string }, change: () => Promise<unknown>) => {
      const page = await show('ada', event)
      await change()
      const { status, html } = await send(browserOf('ada'), page, {}, /\/account\/events\//)
      return [status, /<div class="error summary"[\s\S]*?<li>\s*([^<]+?)\s*<\/li>/.exec(html)?.[1]]
    }
    expect(await stale(full, () => press('bea', full, 'Reserve a seat'))).toEqual([409, 'This event is fully booked.'])
    expect(await stale(closed, () => set(closed.id, { rsvp_closes_at: inHours(-1) }))).toEqual([409, 'Registration is closed.'])
    expect(await stale(priced, () => set(priced.id, { price: { amount: 1500, currency: 'EUR' } }))).toEqual([
      422,
      'A seat at this event has to be paid for at the checkout.',
    ])
    expect(await stale(away, () => query(`UPDATE person SET member_status = 'blocked' WHERE email = 'ada@school.example'`))).toEqual([
      403,
      expect.stringContaining('You cannot register for this event'),
    ])
    await query(`UPDATE person SET member_status = 'active' WHERE email = 'ada@school.example'`)
  })

  test('is in German for people who read German', async () => {
    const event = await publish({ capacity: 1 })
    const german = createBrowser(service.issuer, { 'accept-language': 'de' })
    const public_ = await (
      await fetch(`${service.issuer}/events/${event.slug}`, { headers: { accept: 'text/html', 'accept-language': 'de' } })
    ).text()
    expect(public_).toContain('Platz sichern')
    expect((await german.get(pageOf(event))).location?.pathname).toBe('/account/sign-in')
    const { html } = await browserOf('ada').get(`${pageOf(event)}?lang=de`)
    for (const text of ['Sie sind für diese Veranstaltung nicht angemeldet.', '>Platz sichern</button>']) expect(html).toContain(text)
    await browserOf('ada').get(`${pageOf(event)}?lang=en`)
  })

  test('a form of another site, without its token, or of another session changes nothing', async () => {
    const event = await publish()
    const page = await show('bea', event)
    const other = await send(browserOf('ada'), page, {}, /\/account\/events\//)
    expect([other.status, await rsvpOf(event, 'ada')]).toEqual([403, undefined])
    const foreign = await fetch(service.issuer + pageOf(event), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.example' },
      body: 'status=going',
      redirect: 'manual',
    })
    expect(foreign.status).toBe(403)
  })

  test('an event that does not exist, or that the person cannot see, has no page', async () => {
    const { id, slug } = await owner.call('POST', '/events', {
      ...{ title: 'Draft', kind: 'in_person', location: { name: 'x' }, starts_at: inHours(48), ends_at: inHours(50) },
    })
    expect(id).toMatch(/^evt_/)
    for (const path of [`/account/events/${slug}`, '/account/events/nothing', '/account/events/No_Such', '/account/events/a%2Fb'])
      expect([path, (await browserOf('ada').get(path)).status]).toEqual([path, 404])
  })
})
