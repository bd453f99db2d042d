import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromPublicId } from '../../src/base/ids.ts'
import { createKeyring } from '../../src/base/keyring.ts'
import { createFormStamps } from '../../src/pages/forms/formStamp.ts'
import { duringTests } from '../support/duringTests.ts'
import { startPlatform } from '../support/platform.ts'
import { rootSecret, startService } from '../support/service.ts'
import { type Answer, type Browser, createBrowser, field } from './browser.ts'

const service = duringTests(() =>
  startService({
    schools: 2,
    isLimited: true,
    server: { trusted_proxies: ['127.0.0.1/32'], rate_limits: { form_total: { requests: 200 } } },
  }),
)
const platform = duringTests(() => startPlatform(service))

const stamps = createFormStamps(createKeyring([rootSecret]))
const hostile = '"><script>alert(1)</script>'

const fields = [
  { key: 'name', label: `Your name ${hostile}`, kind: 'text', required: true, max_length: 40 },
  { key: 'email', label: 'E-mail', kind: 'email', required: true },
  { key: 'question', label: 'Question', kind: 'long_text', help: 'As long as you like', max_length: 20 },
  { key: 'phone', label: 'Phone', kind: 'phone' },
  { key: 'pieces', label: 'Pieces', kind: 'number' },
  { key: 'day', label: 'Day', kind: 'date' },
  { key: 'clay', label: 'Clay', kind: 'single_choice', options: ['Stoneware', 'Porcelain'] },
  { key: 'glazes', label: 'Glazes', kind: 'multiple_choice', options: ['Ash', hostile] },
  { key: 'news', label: 'News', kind: 'checkbox' },
  { key: 'picture', label: 'Picture', kind: 'file' },
]

let last = 0
interface NewForm {
  id: string
  slug: string
  consent: string | null
}

async function newForm(more: object = {}, school = 'first'): Promise<NewForm> {
  const slug = `form-${++last}`
  const definition = { school, slug, title: `Ask ${hostile}`, status: 'published', fields, consent_text: null, ...more }
  const { status, body } = await platform.report('/forms', definition)
  expect(status, JSON.stringify(body)).toBe(200)
  return { id: fromPublicId('frm', body.id) as string, slug, consent: definition.consent_text }
}

const rows = (form: NewForm) =>
  service.database.sql.query<{ answers: Record<string, unknown>; spam: boolean; consent_text: string | null; person_id: string | null }>(
    'SELECT answers, spam, consent_text, person_id FROM form_submission WHERE form_id = $1 ORDER BY id',
    [form.id],
  )

const oldStamp = (form: NewForm, secondsAgo = 10, school = service.schoolId()): string =>
  stamps.issue({ school: { id: school }, form: { id: form.id, consent_text: form.consent } }, Date.now() - secondsAgo * 1000)

let network = 0
/** A browser in another network, so that the limits of one test do not affect others. */
function visitor(): Browser {
  network += 1
  return createBrowser(service.issuer, { 'x-forwarded-for': `10.${network >> 8}.${network & 255}.7` })
}

async function send(
  form: NewForm,
  answers: Record<string, string | string[]>,
  more: { browser?: Browser; stamp?: string } = {},
): Promise<Answer> {
  const browser = more.browser ?? visitor()
  const page = await browser.get(`/forms/${form.slug}`)
  const named = Object.fromEntries(
    Object.entries(answers).map(([key, value]) => [key === 'consent' || key === 'homepage' ? key : `q-${key}`, value]),
  )
  return browser.post(`/forms/${form.slug}`, { csrf: field(page.html, 'csrf'), stamp: more.stamp ?? oldStamp(form), ...named })
}

/** Returns the scripts of a page, without its data about the school. */
const scriptsIn = (html: string) => html.match(/<script(?! type="application\/ld\+json">)/g) ?? []

const complete = { name: 'Wren Tallow', email: 'wren@example.org' }

describe('the page of a form', () => {
  test('shows every question with its label, escaped, without a script or a third party', async () => {
    const form = await newForm({ description: hostile, submit_label: 'Ask now' })
    const { status, html, headers } = await visitor().get(`/forms/${form.slug}`)
    expect(status).toBe(200)
    expect(scriptsIn(html)).toEqual([])
    for (const { key } of fields.filter(({ kind }) => kind !== 'file')) expect(html).toContain(`name="q-${key}"`)
    expect(html).toContain('Ask now')
    expect(html).toMatch(/<label for="q-phone" dir="auto">Phone \(optional\)<\/label>/)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('stores a complete submission with the types of its answers, and shows the message of the form', async () => {
    const form = await newForm({ success_message: `Thank you ${hostile}` })
    const browser = visitor()
    const answers = {
      ...complete,
      question: 'one\r\ntwo',
      pieces: '1,5',
      day: '2026-03-01',
      clay: 'Porcelain',
      glazes: ['Ash', hostile],
      news: 'yes',
    }
    const answer = await send(form, answers, { browser })
    expect(answer.status, answer.html).toBe(303)
    const page = await browser.follow(answer)
    expect(page.html).toContain('Thank you &#34;&gt;&lt;script&gt;')
    const [row] = await rows(form)
    expect(row).toMatchObject({ spam: false, consent_text: null })
    expect(row?.answers).toEqual({
      ...complete,
      question: 'one\ntwo',
      pieces: 1.5,
      day: '2026-03-01',
      clay: 'Porcelain',
      glazes: ['Ash', hostile],
      news: true,
    })
  })

  test('names each wrong answer at its field and in a summary, keeps the values, and stores nothing', async () => {
    const form = await newForm()
    const { status, html } = await send(form, {
      ...{ name: '', email: 'nobody', question: 'x'.repeat(21), pieces: 'many', day: '2026-02-30', clay: 'Mud', glazes: ['Ash', 'Ash'] },
    })
    expect(status).toBe(422)
    for (const key of ['name', 'email', 'question', 'pieces', 'day']) {
      expect(html).toContain(`href="#q-${key}"`)
      expect(html).toMatch(new RegExp(`id="q-${key}"[^>]*aria-invalid="true"[^>]*aria-describedby="[^"]*q-${key}-error"`))
    }
    expect(html).toContain('href="#q-clay-1"')
    expect(html).toContain('href="#q-glazes-1"')
    expect(html).toMatch(/id="errors" role="alert" tabindex="-1" autofocus/)
    expect(html).toContain('value="nobody"')
    expect(html).toContain('x'.repeat(21))
    expect(await rows(form)).toEqual([])
  })

  test('is German for a browser that asks for German', async () => {
    const form = await newForm()
    const { html } = await visitor().get(`/forms/${form.slug}`, { 'accept-language': 'de' })
    expect(html).toContain('(freiwillig)')
  })

  test.each(['draft', 'closed', 'not open yet', 'over'])('does not exist for a form that is %s', async (state) => {
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString()
    const anHourAgo = new Date(Date.now() - 3_600_000).toISOString()
    const form = await newForm(
      { draft: { status: 'draft' }, closed: { status: 'closed' }, 'not open yet': { opens_at: inAnHour }, over: { closes_at: anHourAgo } }[
        state
      ],
    )
    const browser = visitor()
    for (const path of [`/forms/${form.slug}`, `/forms/${form.slug}/sent`]) expect((await browser.get(path)).status).toBe(404)
    expect((await browser.post(`/forms/${form.slug}`, { stamp: oldStamp(form) })).status).toBe(404)
    expect(await rows(form)).toEqual([])
  })

  test('does not exist at another school', async () => {
    const form = await newForm({}, 'second')
    expect((await visitor().get(`/forms/${form.slug}`)).status).toBe(404)
    expect((await visitor().get(`${service.other}/forms/${form.slug}`)).status).toBe(200)
    for (const path of ['/forms/%00', '/forms/Nothing_of', `/forms/${'a'.repeat(97)}`]) expect((await visitor().get(path)).status).toBe(404)
  })
})

describe('consent', () => {
  const text = 'You may keep my answers for a year.'

  test('is required where the form has a text, and is stored with the text that was shown', async () => {
    const form = await newForm({ consent_text: text })
    const refused = await send(form, complete)
    expect([refused.status, refused.html.includes('href="#consent"')]).toEqual([422, true])
    expect(await rows(form)).toEqual([])
    expect((await send(form, { ...complete, consent: 'yes' })).status).toBe(303)
    expect((await rows(form))[0]?.consent_text).toBe(text)
  })

  test('to a text that changed while the form was open is not accepted', async () => {
    const form = await newForm({ consent_text: text })
    const stamp = oldStamp(form)
    await platform.report('/forms', {
      school: 'first',
      slug: form.slug,
      title: 'Ask',
      status: 'published',
      fields,
      consent_text: 'You may sell my answers.',
    })
    const answer = await send(form, { ...complete, consent: 'yes' }, { stamp })
    expect([answer.status, answer.html.includes('You may sell my answers.')]).toEqual([403, true])
    expect(await rows(form)).toEqual([])
  })

  test('applies with the text of the school to forms that have none, and not to forms that ask for it with a question', async () => {
    const schoolId = service.schoolId(service.other)
    await service.database.sql.query(`UPDATE school SET settings = '{"form_consent_text": "The text of the school."}' WHERE id = $1`, [
      schoolId,
    ])
    const without = await newForm({}, 'second')
    const questions = await newForm({ fields: [{ key: 'agree', label: 'I agree', kind: 'consent', required: true }] }, 'second')
    expect((await visitor().get(`${service.other}/forms/${without.slug}`)).html).toContain('The text of the school.')
    expect((await visitor().get(`${service.other}/forms/${questions.slug}`)).html).not.toContain('The text of the school.')
    const browser = createBrowser(service.other, { 'x-forwarded-for': '10.200.0.1' })
    const page = await browser.get(`/forms/${questions.slug}`)
    const sent = await browser.post(`/forms/${questions.slug}`, {
      csrf: field(page.html, 'csrf'),
      stamp: oldStamp(questions, 10, schoolId),
      'q-agree': 'yes',
    })
    expect(sent.status).toBe(303)
    expect((await rows(questions))[0]?.consent_text).toBe('I agree')
  })
})

describe('programs', () => {
  test('that fill in the hidden field, or send too fast, get the usual response, and their submission is spam', async () => {
    const form = await newForm()
    expect((await send(form, { ...complete, homepage: 'https://spam.example' })).status).toBe(303)
    expect((await send(form, complete, { stamp: oldStamp(form, 1) })).status).toBe(303)
    expect((await rows(form)).map(({ spam }) => spam)).toEqual([true, true])
    const [counted] = await service.database.sql.query('SELECT submissions_count, unreported_count FROM form WHERE id = $1', [form.id])
    expect(counted).toEqual({ submissions_count: 2, unreported_count: 0 })
  })

  test('cannot send without the token of this browser, with an old or foreign stamp, or from another site', async () => {
    const form = await newForm()
    const other = await newForm()
    const browser = visitor()
    const page = await browser.get(`/forms/${form.slug}`)
    const sent = { stamp: oldStamp(form), 'q-name': 'Wren', 'q-email': 'wren@example.org' }
    const csrf = field(page.html, 'csrf')
    const post = (fields: Record<string, string>, headers = {}) => browser.post(`/forms/${form.slug}`, { ...sent, ...fields }, headers)
    expect((await post({})).status).toBe(403)
    expect((await visitor().post(`/forms/${form.slug}`, { ...sent, csrf })).status).toBe(403)
    for (const stamp of ['', 'x', `${Date.now()}.x`, oldStamp(other), oldStamp(form, 90_000), oldStamp(form).replace(/^\d+/, '1')])
      expect((await post({ csrf, stamp })).status).toBe(403)
    expect((await post({ csrf }, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await post({ csrf }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
    expect(await rows(form)).toEqual([])
    expect((await post({ csrf })).status).toBe(303)
  })

  test('of one network are limited, keep what they entered, and do not affect others', async () => {
    const form = await newForm()
    const browser = visitor()
    const statuses: number[] = []
    for (let count = 0; count < 62; count++) statuses.push((await browser.post(`/forms/${form.slug}`, { 'q-name': 'Wren' })).status)
    expect(statuses.slice(0, 60).every((status) => status === 403)).toBe(true)
    expect(statuses.slice(60)).toEqual([429, 429])
    const refused = await send(form, complete, { browser })
    expect([refused.status, refused.headers.get('retry-after') !== null, refused.html.includes('Wren Tallow')]).toEqual([429, true, true])
    expect((await send(form, complete)).status).toBe(303)
    expect(await rows(form)).toHaveLength(1)
  })

  test('cannot send a body above 64 kB or of another type', async () => {
    const form = await newForm()
    expect((await visitor().post(`/forms/${form.slug}`, { 'q-name': 'x'.repeat(70_000) })).status).toBe(413)
    const json = await visitor().send(`/forms/${form.slug}`, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect(json.status).toBe(415)
  })

  test('get no server error, whatever they send', async () => {
    const form = await newForm()
    const names = fc.oneof(
      fc.constantFrom(...fields.map(({ key }) => `q-${key}`), 'consent', 'homepage', '__proto__', 'q-__proto__'),
      fc.string(),
    )
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\0', '\ud800', hostile, '1e999', 'a@b\r\nBcc: x@y.example'),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(names, texts), { maxLength: 12 }), async (pairs) => {
        const browser = visitor()
        const page = await browser.get(`/forms/${form.slug}`)
        const body = new URLSearchParams([['csrf', field(page.html, 'csrf')], ['stamp', oldStamp(form)], ...pairs])
        const answer = await browser.send(`/forms/${form.slug}`, { method: 'POST', body })
        expect([303, 422]).toContain(answer.status)
        expect(scriptsIn(answer.html)).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('e-mails to staff', () => {
  const run = async (): Promise<void> => {
    await service.app.jobs.find(({ name }) => name === 'report_submissions')?.run()
  }
  const mailsTo = async (address: string) => (await service.emails()).filter(({ to }) => JSON.stringify(to).includes(address))

  test('count what has arrived, at most once an hour for a form, and contain nothing that a visitor entered', async () => {
    await service.addPerson({ email: 'owner@school.example', role: 'owner' })
    await service.addPerson({ email: 'learner@school.example' })
    const form = await newForm({ title: 'Ask the kiln', notifies_staff: true })
    const silent = await newForm({ title: 'Quiet' })
    const injected = { name: 'Wren\r\nBcc: victim@example.org', email: 'wren@example.org' }
    for (let count = 0; count < 3; count++) expect((await send(form, injected)).status).toBe(303)
    await send(form, { ...complete, homepage: 'spam' })
    await send(silent, complete)
    await Promise.all([run(), run()])
    await run()
    const mails = await mailsTo('owner@school.example')
    expect(mails).toHaveLength(1)
    expect(mails[0]?.subject).toContain('Ask the kiln')
    expect(mails[0]?.text).toContain(': 3.')
    expect(JSON.stringify(mails)).not.toMatch(/Wren|victim|wren@/)
    expect(await mailsTo('learner@school.example')).toEqual([])
    await send(form, complete)
    await run()
    expect(await mailsTo('owner@school.example')).toHaveLength(1)
    await service.database.sql.query(`UPDATE form SET reported_at = now() - interval '61 minutes' WHERE id = $1`, [form.id])
    await run()
    const later = await mailsTo('owner@school.example')
    expect(later).toHaveLength(2)
    expect(later[1]?.text).toContain(': 1.')
  })
})

test('a form is replaced by its slug, and the same definition changes nothing', async () => {
  const form = await newForm()
  const again = await platform.report('/forms', { school: 'first', slug: form.slug, title: `Ask ${hostile}`, status: 'published', fields })
  expect(again.body).toMatchObject({ version: 1, url: `${service.issuer}/forms/${form.slug}` })
  const changed = await platform.report('/forms', { school: 'first', slug: form.slug, title: 'Other', status: 'published', fields })
  expect(changed.body.version).toBe(2)
  const wrong = await platform.report('/forms', {
    school: 'first',
    slug: form.slug,
    title: 'Other',
    status: 'published',
    fields: [{ key: 'X', label: 'x', kind: 'single_choice' }],
  })
  expect(wrong.status).toBe(422)
})
