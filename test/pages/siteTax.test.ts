import { beforeAll, describe, expect, test } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { startService } from '../support/service.ts'
import { asHtml, asMarkdown, dataIn, siteOwner } from './siteVisitor.ts'

const eur = (amount: number) => ({ amount, currency: 'EUR' })
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString()

/** The settings of a school, and what its pages then say after a price. */
const settings = [
  {
    tax: { mode: 'inclusive', default_rate_bps: 1900 },
    mode: 'inclusive',
    en: 'incl. VAT',
    de: 'inkl. MwSt.',
    pricing: 'Prices include VAT.',
  },
  {
    tax: { mode: 'exclusive', default_rate_bps: 0, rates: [{ country: 'AT', rate_bps: 2000 }] },
    ...{ mode: 'exclusive', en: 'plus VAT', de: 'zzgl. MwSt.', pricing: 'VAT is added to the prices at the checkout.' },
  },
  { tax: { mode: 'none', default_rate_bps: 1900 }, mode: 'none' },
  { tax: { mode: 'inclusive', default_rate_bps: 0, rates: [] }, mode: 'none' },
]

describe.each(await databasesToTest())('the tax of prices on public pages, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open }))
  const owner = duringTests(() => siteOwner(service))
  beforeAll(async () => {
    const { call } = owner
    const made = async (path: string, body: object): Promise<string> => String((await call('POST', path, body)).id)
    const lecturer = await made('/lecturers', { display_name: 'Marlo', slug: 'marlo' })
    for (const [slug, more] of [
      ['clay', { access: 'paid', price: eur(8905) }],
      ['gift', { access: 'free' }],
    ] as const) {
      const course = await made('/courses', { title: slug, slug, lecturer_ids: [lecturer], ...more })
      const section = await made(`/courses/${course}/sections`, { title: 'First' })
      const lesson = await made(`/sections/${section}/lessons`, { title: 'One', kind: 'text' })
      await call('POST', `/lessons/${lesson}/publish`, {})
      await call('POST', `/courses/${course}/publish`, {})
    }
    for (const [slug, price] of [
      ['kiln', eur(8905)],
      ['open-day', null],
    ] as const) {
      const place = { kind: 'in_person', location: { name: 'Kiln house' }, starts_at: inDays(2), ends_at: inDays(2.1) }
      const event = await made('/events', { title: slug, slug, price, ...place })
      await call('POST', `/events/${event}/publish`, {})
    }
    for (const [slug, amount] of [
      ['bench', 8905],
      ['guest', 0],
    ] as const) {
      const plan = await made('/membership_plans', { name: slug, slug })
      await call('POST', `/membership_plans/${plan}/prices`, { interval: 'month', amount: eur(amount) })
      await call('POST', `/membership_plans/${plan}/activate`, {})
    }
    const page = await made('/pages', { title: 'Prices', slug: 'prices', blocks: [{ type: 'plan_table', props: {} }] })
    await call('POST', `/pages/${page}/publish`, {})
  })

  const read = async (path: string, headers: Record<string, string> = asHtml): Promise<string> => {
    const response = await fetch(service.issuer + path, { headers })
    expect([path, response.status]).toEqual([path, 200])
    return await response.text()
  }
  test('without a checkout, every price says whom to ask, and a free offer does not', async () => {
    for (const path of ['/courses/clay', '/events/kiln', '/plans/bench']) {
      expect([path, await read(path)]).toEqual([path, expect.stringContaining('Please ask the school how to pay')])
      expect([path, await read(`${path}.md`, {})]).toEqual([path, expect.stringContaining('Please ask the school how to pay')])
    }
    for (const path of ['/courses/gift', '/events/open-day', '/plans/guest'])
      expect([path, await read(path)]).toEqual([path, expect.not.stringContaining('how to pay')])
  })

  const notes = /incl\. VAT|plus VAT|inkl\. MwSt\.|zzgl\. MwSt\./g
  const setTax = (tax: object) => owner.call('PATCH', '/school', { settings: { tax } }, { 'if-match': '*' })

  test.each(settings)(
    'is named by each price, in both languages, as HTML, Markdown and data: $tax',
    async ({ tax, mode, en, de, pricing }) => {
      await setTax(tax)
      const paid = ['/courses/clay', '/courses', '/events/kiln', '/events', '/plans/bench', '/plans', '/lecturers/marlo']
      for (const path of paid) {
        const german = `${path}?lang=de`
        for (const [text, note, price] of [
          [await read(path), en, /€89\.05(?: per month)?/],
          [await read(german), de, /89,05\u00a0€(?: pro Monat)?/],
          [await read(path, asMarkdown), en, /€89\.05(?: per month)?/],
          [await read(`${path}.md`, {}), en, /€89\.05(?: per month)?/],
        ] as const) {
          expect([path, text.match(notes) ?? []]).toEqual([path, note === undefined ? [] : [note]])
          const shown = note === undefined ? price : new RegExp(`${price.source} ${note.replaceAll('.', '\\.')}`)
          expect([path, shown.test(text)]).toEqual([path, true])
        }
      }
      for (const path of ['/courses/gift', '/events/open-day', '/plans/guest'])
        expect([path, (await read(path)).match(notes)]).toEqual([path, null])
      expect(new Set((await read('/pages/prices')).match(notes))).toEqual(new Set(en === undefined ? [] : [en]))
      for (const [path, type] of [
        ['/courses/clay', 'Course'],
        ['/events/kiln', 'Event'],
        ['/plans/bench', 'Product'],
      ] as const) {
        const offers = dataIn(await read(path)).find((node) => node['@type'] === type)?.offers
        const [offer] = Array.isArray(offers) ? offers : [offers]
        expect([path, offer.price, offer.priceCurrency]).toEqual([path, '89.05', 'EUR'])
        expect(offer.priceSpecification).toEqual(
          mode === 'none'
            ? undefined
            : { '@type': 'PriceSpecification', price: '89.05', priceCurrency: 'EUR', valueAddedTaxIncluded: mode === 'inclusive' },
        )
      }
      const text = await read('/pricing.md', {})
      expect(['Prices include VAT.', 'VAT is added to the prices at the checkout.'].filter((one) => text.includes(one))).toEqual(
        pricing === undefined ? [] : [pricing],
      )
      const { tax_mode, settings: shown } = JSON.parse(await read('/api/v1/school', {}))
      expect([tax_mode, 'tax' in shown]).toEqual([mode, false])
    },
  )

  test('changes the entity tag of a page when the setting changes', async () => {
    const tagOf = async (path: string, known?: string) => {
      const response = await fetch(service.issuer + path, { headers: { ...asHtml, ...(known && { 'if-none-match': known }) } })
      return { status: response.status, etag: response.headers.get('etag') ?? '' }
    }
    await setTax({ mode: 'inclusive', default_rate_bps: 1900 })
    for (const path of ['/courses/clay', '/courses', '/pages/prices']) {
      const before = await tagOf(path)
      expect((await tagOf(path, before.etag)).status).toBe(304)
      await setTax({ mode: 'exclusive' })
      expect((await tagOf(path, before.etag)).status).toBe(200)
      await setTax({ mode: 'inclusive' })
      expect((await tagOf(path)).etag).toBe(before.etag)
    }
  })
})
