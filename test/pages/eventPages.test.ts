import { describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { asHtml, asMarkdown, dataIn, sitemapOf, siteOwner } from './siteVisitor.ts'

const day = 86_400_000
const fromNow = (days: number): string => new Date(Date.now() + days * day).toISOString()

describe.each(await databasesToTest())('the public pages of events, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open, school: { checkout_url: 'https://shop.example.com/buy?item={type}/{id}' } }))
  const owner = duringTests(() => siteOwner(service))

  const read = async (path: string, headers: Record<string, string> = asHtml): Promise<string> => {
    const response = await fetch(service.issuer + path, { headers })
    expect([path, response.status]).toEqual([path, 200])
    return response.text()
  }

  /** Publishes an event, by default with a price of 15 euros. Returns its id. */
  async function publish(slug: string, fields: object = {}): Promise<string> {
    const { id } = await owner.call('POST', '/events', {
      ...{
        title: `Event ${slug}`,
        slug,
        kind: 'in_person',
        location: { name: 'Kiln house' },
        starts_at: fromNow(2),
        ends_at: fromNow(2.1),
      },
      ...{ price: { amount: 1500, currency: 'EUR' }, time_zone: 'Europe/Berlin', ...fields },
    })
    await owner.call('POST', `/events/${id}/publish`, {})
    return String(id)
  }

  const set = (id: string, fields: object) => owner.call('PATCH', `/events/${id}`, fields, { 'if-match': '*' })
  const offerOf = (html: string) => dataIn(html).find((node) => node['@type'] === 'Event')?.offers

  test('an event with a price shows it with the free seats and the way to a ticket', async () => {
    const id = await publish('kiln', { capacity: 20 })
    const checkout = `https://shop.example.com/buy?item=event/${id}`
    const html = await read('/events/kiln')
    for (const shown of ['€15.00', '20 seats left', `<a class="button main" href="${checkout}"`, 'Buy a ticket'])
      expect(html).toContain(shown)
    expect(offerOf(html)).toEqual({
      ...{ '@type': 'Offer', url: checkout, price: '15.00', priceCurrency: 'EUR', availability: 'https://schema.org/InStock' },
    })
    const german = await read('/events/kiln?lang=de')
    for (const shown of ['15,00\u00a0€', 'Noch 20 Plätze frei', 'Ticket kaufen']) expect(german).toContain(shown)
    const markdown = await read('/events/kiln', asMarkdown)
    for (const shown of ['Price: €15.00', `[Buy a ticket](${checkout})`]) expect(markdown).toContain(shown)
    expect(await read('/events')).toContain('€15.00')
  })

  test('an event with a free seat and a party that waits is fully booked, in API, page and data alike', async () => {
    const id = await publish('party', { capacity: 1, price: null })
    const { member_id } = await owner
      .call('POST', '/members', { email: 'party@example.org', display_name: 'Party' })
      .then(({ id }) => ({ member_id: id }))
    await owner.call('POST', `/events/${id}/rsvps`, { member_id, guests: 1 })
    await set(id, { price: { amount: 1500, currency: 'EUR' } })
    const html = await read('/events/party')
    expect(html).toContain('Fully booked')
    expect(html).not.toContain('seat left')
    expect(offerOf(html)).toMatchObject({ availability: 'https://schema.org/SoldOut' })
  })

  test('a fully booked event has no way to a ticket', async () => {
    const id = await publish('full', { capacity: 1, price: null })
    await owner.call('PUT', `/events/${id}/rsvps/me`, { status: 'going' })
    await set(id, { price: { amount: 1500, currency: 'EUR' } })
    const html = await read('/events/full')
    expect([html.includes('Fully booked'), html.includes('Buy a ticket')]).toEqual([true, false])
    expect(offerOf(html)).toMatchObject({ url: `${service.issuer}/events/full`, availability: 'https://schema.org/SoldOut' })
  })

  test('tickets are on sale only during the registration', async () => {
    const id = await publish('window', {
      rsvp_opens_at: '2099-01-01T11:00:00Z',
      starts_at: '2099-01-05T11:00:00Z',
      ends_at: '2099-01-05T12:00:00Z',
    })
    const early = await read('/events/window')
    expect(early).toContain('Registration opens on 1 January 2099 at 11:00 UTC.')
    expect(early).not.toContain('Buy a ticket')
    expect(offerOf(early)).toMatchObject({ url: `${service.issuer}/events/window`, validFrom: '2099-01-01T11:00:00.000Z' })
    await set(id, { rsvp_opens_at: null, rsvp_closes_at: fromNow(-1) })
    const late = await read('/events/window')
    expect([late.includes('Registration is closed.'), late.includes('Buy a ticket')]).toEqual([true, false])
  })

  test('an event for members shows its price without a link to a ticket, which visitors cannot use', async () => {
    await publish('members', { access: 'members' })
    const html = await read('/events/members')
    expect([html.includes('€15.00'), html.includes('Buy a ticket')]).toEqual([true, false])
  })

  test('an event without a price has no offer', async () => {
    await publish('free', { price: null })
    const html = await read('/events/free')
    expect([offerOf(html), html.includes('Buy a ticket'), html.includes('>Price<')]).toEqual([undefined, false, false])
  })

  test('a cancelled event has neither seats nor an offer, and the list says so first', async () => {
    const id = await publish('cancelled', { capacity: 9, starts_at: '2099-03-01T18:30:00Z', ends_at: '2099-03-01T20:30:00Z' })
    await owner.call('POST', `/events/${id}/cancel`, { reason: 'The kiln is cold.' })
    const html = await read('/events/cancelled')
    expect(html).toContain('Cancelled: The kiln is cold.')
    for (const absent of ['9 seats left', 'Buy a ticket', '€15.00']) expect(html).not.toContain(absent)
    expect(offerOf(html)).toBeUndefined()
    // Dates have the same format as on the pages of the account.
    expect(await read('/events')).toContain('Cancelled: Sunday, 1 March 2099, 19:30–21:30')
  })

  test('past events have a separate list with pages, which search engines are asked not to index', async () => {
    for (let index = 0; index < 26; index += 1) {
      const id = await publish(`past-${index}`)
      const start = new Date(Date.now() - (index + 1) * day)
      await service.database.kysely
        .updateTable('event')
        .set({ starts_at: start, ends_at: new Date(start.getTime() + 3_600_000) })
        .where('slug', '=', `past-${index}`)
        .execute()
      expect(id).toMatch(/^evt_/)
    }
    const upcoming = await read('/events')
    expect(upcoming).toContain('<a href="/events?past=1">Past events</a>')
    expect([upcoming.includes('/events/past-'), upcoming.includes('noindex')]).toEqual([false, false])

    const seen: string[] = []
    let path: string | undefined = '/events?past=1'
    let pages = 0
    while (path !== undefined && pages < 5) {
      const html = await read(path.replaceAll('&amp;', '&'))
      for (const [, slug = ''] of html.matchAll(/<p class="name" dir="auto"><a href="\/events\/([a-z0-9-]+)"/g)) seen.push(slug)
      expect(html).toContain('<h1 dir="auto">Past events</h1>')
      expect(html).toContain('<meta name="robots" content="noindex">')
      expect(html).toContain(`<link rel="canonical" href="${service.issuer}${path}">`)
      expect(html).not.toContain('€15.00')
      path = /<a class="button" rel="next" href="([^"]+)"/.exec(html)?.[1]
      pages += 1
    }
    expect(seen).toEqual(Array.from({ length: 26 }, (_, index) => `past-${index}`))
    expect(pages).toBe(2)

    const german = await read('/events?past=1&lang=de')
    expect(german).toContain('<h1 dir="auto">Vergangene Veranstaltungen</h1>')
    expect(german).toContain('href="/events?past=1&amp;lang=en"')
    expect(await read('/events.md?past=1', {})).toContain('Past events')
    const ended = await read('/events/past-3')
    expect([ended.includes('This event has ended.'), ended.includes('noindex'), offerOf(ended)]).toEqual([true, false, undefined])
    expect(await sitemapOf(service.issuer)).toContain(`${service.issuer}/events/past-3`)
    // Other lists have no past.
    expect(await read('/posts?past=1')).toContain(`<link rel="canonical" href="${service.issuer}/posts">`)
  })
})
