import { describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { createFormStamps } from '../../src/pages/forms/formStamp.ts'
import { duringTests } from '../support/duringTests.ts'
import { startPlatform } from '../support/platform.ts'
import { rootSecret, startService } from '../support/service.ts'
import { createBrowser, field } from './browser.ts'

const maxPerRecipient = 3
const maxPerNetwork = 20
const service = duringTests(() =>
  startService({
    isLimited: true,
    server: {
      trusted_proxies: ['127.0.0.1/32'],
      rate_limits: { form_per_network: { requests: 1000 }, form_total: { requests: 1000 }, page: { requests: 10_000 } },
    },
  }),
)
const platform = duringTests(() => startPlatform(service))

const stamps = createFormStamps(createKeyring([rootSecret]))
const hostile = 'Win "money" at https://evil.example/now\nor www.evil.example and me@evil.example <a href="https://evil.example">x</a>'
const fields = [
  { key: 'email', label: 'Your e-mail', kind: 'email' },
  { key: 'other', label: 'Another e-mail', kind: 'email' },
  { key: 'question', label: 'Your question', kind: 'long_text' },
  { key: 'days', label: 'Days', kind: 'multiple_choice', options: ['Monday', 'Friday'] },
  { key: 'news', label: 'Newsletter', kind: 'checkbox' },
]

let last = 0
async function newForm(more: object = {}) {
  const slug = `form-${++last}`
  const title = `Ask us ${last}`
  const { status, body } = await platform.report('/forms', { slug, title, status: 'published', fields, ...more })
  expect([status, body]).toEqual([200, body])
  return { id: fromPublicId('frm', body.id) as string, slug, title }
}

let network = 0
/** Fills in a form as a browser does, in a network that no other submission of the test uses. */
async function send(
  { id, slug }: { id: string; slug: string },
  answers: Record<string, string | string[]>,
  { from = `10.${++network >> 8}.${network & 255}.7`, language = 'en', secondsAgo = 10 } = {},
) {
  const browser = createBrowser(service.issuer, { 'x-forwarded-for': from, 'accept-language': language })
  const page = await browser.get(`/forms/${slug}`)
  const stamp = stamps.issue({ school: { id: service.schoolId() }, form: { id, consent_text: null } }, Date.now() - secondsAgo * 1000)
  const named = Object.fromEntries(Object.entries(answers).map(([key, value]) => [key === 'homepage' ? key : `q-${key}`, value]))
  const { status } = await browser.post(`/forms/${slug}`, { csrf: field(page.html, 'csrf'), stamp, ...named })
  return status
}
const about = async ({ title }: { title: string }) => (await service.emails()).filter(({ text }) => text.includes(title))
const stored = async ({ id }: { id: string }): Promise<number> =>
  (await service.database.sql.query('SELECT id FROM form_submission WHERE form_id = $1', [id])).length

describe('the confirmation of a submission', () => {
  test('goes to the first e-mail address of the answers, in the language of the page, without anything that was entered', async () => {
    const form = await newForm()
    const answers = { email: 'Wren@Example.org', other: 'victim@example.org', question: hostile, days: ['Monday'], news: 'yes' }
    expect(await send(form, answers, { language: 'de' })).toBe(303)
    const [mail, ...more] = await about(form)
    expect(more).toEqual([])
    expect([mail?.to, mail?.subject, mail?.language]).toEqual(['wren@example.org', 'First School: Ihre Nachricht ist angekommen', 'de'])
    expect(`${mail?.subject}${mail?.text}${mail?.html}`).not.toMatch(/evil|Monday|victim/)
    expect(mail?.unsubscribe).toBeUndefined()
  })

  test('contains the answers only if the form allows it: each in one line, short, and without a link', async () => {
    const form = await newForm({ copies_answers: true })
    expect(await send(form, { email: 'wren@example.org', question: `${hostile} ${'x'.repeat(9000)}`, days: ['Monday', 'Friday'] })).toBe(
      303,
    )
    const [mail] = await about(form)
    expect(mail?.text).toContain('\nDays: Monday, Friday\n')
    const line = mail?.text.split('\n').find((one) => one.startsWith('Your question: ')) ?? ''
    expect(line.length).toBeLessThanOrEqual('Your question: '.length + 200)
    expect(`${mail?.text}${mail?.html}`).not.toMatch(/evil\.example|https:\/\/evil|me@evil|<a href="https:\/\/evil/)
    expect(mail?.html.match(/<a /g) ?? []).toEqual([])
  })

  test('is not sent for spam, wrong answers, forms without an e-mail address, and addresses that were left out', async () => {
    const form = await newForm()
    expect(await send(form, { email: 'bot@example.org', homepage: 'https://evil.example' })).toBe(303)
    expect(await send(form, { email: 'fast@example.org' }, { secondsAgo: 1 })).toBe(303)
    expect(await send(form, { email: 'a@b@c' })).toBe(422)
    expect(await send(form, { email: 'x@example.org\r\nBcc: y@example.org' })).toBe(422)
    expect(await send(form, { question: 'Without an address' })).toBe(303)
    const without = await newForm({ fields: fields.slice(2) })
    expect(await send(without, { question: 'wren@example.org' })).toBe(303)
    expect([await about(form), await about(without)]).toEqual([[], []])
  })

  test('a flood from one network, or to one mailbox from many networks and under many tags, sends few e-mails and stores every submission', async () => {
    const form = await newForm({ copies_answers: true })
    for (let count = 0; count < 30; count++) {
      const email = count % 2 === 0 ? 'victim@flood.example.org' : `victim+tag${count}@flood.example.org`
      expect(await send(form, { email })).toBe(303)
    }
    expect(await about(form)).toHaveLength(maxPerRecipient)
    const other = await newForm()
    expect(await send(other, { email: 'VICTIM+x@flood.example.org' })).toBe(303)
    expect(await about(other)).toEqual([])
    const many = await newForm()
    for (let count = 0; count < 40; count++)
      expect(await send(many, { email: `p${count}@example.org` }, { from: `192.0.2.${count}` })).toBe(303)
    expect(await about(many)).toHaveLength(maxPerNetwork)
    expect([await stored(form), await stored(many)]).toEqual([30, 40])
    // Somebody else gets theirs.
    expect(await send(many, { email: 'somebody@example.org' })).toBe(303)
    expect(await about(many)).toHaveLength(maxPerNetwork + 1)
  })
})

describe('the page of a form', () => {
  test('has the menu of the site, before and after sending, and every page of the site links to it until it closes', async () => {
    const form = await newForm()
    const browser = createBrowser(service.issuer)
    for (const path of [`/forms/${form.slug}`, `/forms/${form.slug}/sent`]) {
      const { html } = await browser.get(path)
      expect([path, html.includes('<nav class="menu"'), html.includes('href="#content"'), html.includes('class="breadcrumbs"')]).toEqual([
        path,
        true,
        true,
        true,
      ])
    }
    const linked = async () => (await browser.get('/search')).html.includes(`href="/forms/${form.slug}"`)
    await service.database.sql.query(`UPDATE form SET title = '0 ' || title WHERE id = $1`, [form.id])
    await expect.poll(linked, { timeout: 10_000 }).toBe(true)
    await service.database.sql.query(`UPDATE form SET status = 'closed' WHERE id = $1`, [form.id])
    await expect.poll(linked, { timeout: 10_000 }).toBe(false)
  })

  test('has no frame where another site shows the pages of the school', async () => {
    const form = await newForm()
    await service.reload({ school: { public_pages: false } })
    const { status, html } = await createBrowser(service.issuer).get(`/forms/${form.slug}`)
    expect([status, html.includes('<nav class="menu"')]).toEqual([200, false])
    await service.reload({})
  })
})
