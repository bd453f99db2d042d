// Proves interface: What the staff of a school do on its pages is an operation of the API, with its checks, its effect and taking back
import { afterEach, describe, expect, test, vi } from 'vitest'
import { managedResources } from '../../../src/engine/output/managedResources.ts'
import { createTexts } from '../../../src/pages/texts.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { duringTests } from '../../support/duringTests.ts'
import { password, startService } from '../../support/service.ts'
import { type Answer, type Browser, createBrowser } from '../browser.ts'
import { send, signedIn } from './account.ts'

const service = duringTests(() =>
  startService({
    people: [
      { email: 'owner@example.com', role: 'owner' },
      { email: 'lecturer@example.com', role: 'lecturer' },
      { email: 'learner@example.com' },
    ],
  }),
)
const owner = duringTests(() => signedIn(service, 'owner@example.com'))
const lecturer = duringTests(() => signedIn(service, 'lecturer@example.com'))
const learner = duringTests(() => signedIn(service, 'learner@example.com'))

afterEach(() => vi.useRealTimers())

const textOf = (html: string): string => html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ')
const form = /Staff|Course|Coupon|Enrollment|Event|Post|School|Appearance|Student/
const idIn = (answer: Answer): string => /\/([a-z]{3}_[0-9a-z]{26})/.exec(answer.location?.href ?? '')?.[1] ?? ''

/** Sends the form of an operation, and returns the page with its effect. */
async function effect(browser: Browser, path: string, fields: Record<string, string>): Promise<Answer> {
  const page = await browser.get(path)
  expect(page.status).toBe(200)
  return await send(browser, page, fields, form)
}

/** Sends the form of an operation, sees its effect, and confirms it. */
async function perform(browser: Browser, path: string, fields: Record<string, string>): Promise<Answer> {
  const seen = await effect(browser, path, fields)
  expect([seen.status, seen.html.includes('id="effect"')], textOf(seen.html).slice(-3000)).toEqual([200, true])
  const done = await send(browser, seen, fields, form)
  expect(done.status, textOf(done.html).slice(-3000)).toBe(303)
  return done
}

const newCourse = async (title: string): Promise<string> =>
  idIn(await perform(owner, '/account/school/courses/-/createCourse', { title, access: 'paid', price: '59' }))

const titles = async (query = ''): Promise<string[]> =>
  [
    ...(await owner.get(`/account/school/courses${query}`)).html.matchAll(
      /<a href="\/account\/school\/courses\/crs_\w+" dir="auto">([^<]*)/g,
    ),
  ].map(([, title = '']) => title)

describe('the two places', () => {
  test('a person who works at the school begins there, and others at their courses', async () => {
    const landing = async (email: string): Promise<string | undefined> => {
      const browser = createBrowser(service.issuer)
      return (await send(browser, await browser.get('/account/sign-in'), { email, password })).location?.pathname
    }
    expect(await landing('owner@example.com')).toBe('/account/school')
    expect(await landing('lecturer@example.com')).toBe('/account/school')
    expect(await landing('learner@example.com')).toBe('/account')
    expect((await owner.get('/account/school')).html).toContain('Nothing waits for you.')
    expect((await owner.get('/account')).html).toContain('href="/account/school"')
    expect((await learner.get('/account')).html).not.toContain('href="/account/school"')
  })
})

describe('a form of an operation', () => {
  test('shows the effect of a new price first, and leads to the page that takes it back', async () => {
    const id = await newCourse('Candle Season')
    const page = await owner.get(`/account/school/courses/${id}/updateCourse-price`)
    expect(page.html).toContain('value="59.00"')
    const seen = await send(owner, page, { price: '99' }, form)
    expect(textOf(seen.html)).toContain('Price: €59.00 → €99.00')
    expect((await owner.get(`/account/school/courses/${id}`)).html).toContain('€59.00')
    const done = await send(owner, seen, { price: '99' }, form)
    const row = await owner.get(done.location?.href ?? '')
    expect(row.html).toContain('€99.00')
    const undo = /href="(\/account\/undo\/act_[0-9a-z]+)"/.exec(row.html)?.[1] ?? ''
    await send(owner, await owner.get(undo), {}, /undo/)
    expect((await owner.get(`/account/school/courses/${id}`)).html).toContain('€59.00')
  })

  test('executes only the values of which the effect was shown', async () => {
    const id = await newCourse('Slow Glaze')
    const seen = await effect(owner, `/account/school/courses/${id}/updateCourse-price`, { price: '70' })
    const other = await send(owner, seen, { price: '7' }, form)
    expect(textOf(other.html)).toContain('€59.00 → €7.00')
    expect((await owner.get(`/account/school/courses/${id}`)).html).toContain('€59.00')
  })

  test('shows the errors of the operation at their fields, and keeps what was typed', async () => {
    const seen = await effect(owner, '/account/school/events/-/createEvent', {
      title: 'Late Kiln',
      kind: 'online',
      starts_at: 'soon',
      ends_at: '',
    })
    expect(seen.status).toBe(422)
    expect(seen.html).toMatch(/<a href="#starts_at">Starts at: this does not have the right form\.<\/a>/)
    expect(seen.html).toContain('value="Late Kiln"')
    const price = await effect(owner, '/account/school/courses/-/createCourse', { title: 'Free Clay', access: 'paid', price: 'a lot' })
    expect([price.status, /<a href="#price">/.test(price.html)]).toEqual([422, true])
  })

  test('sent twice stores one', async () => {
    const fields = { title: 'Twice Fired', access: 'free' }
    const seen = await effect(owner, '/account/school/courses/-/createCourse', fields)
    const both = await Promise.all([send(owner, seen, fields, form), send(owner, seen, fields, form)])
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    expect((await titles('?q=Twice+Fired')).length).toBe(1)
    const id = await newCourse('Thrice Fired')
    const change = await effect(owner, `/account/school/courses/${id}/updateCourse-price`, { price: '61' })
    const first = await send(owner, change, { price: '61' }, form)
    const second = await send(owner, change, { price: '61' }, form)
    expect([first.status, second.status]).toEqual([303, 303])
  })

  test('does not overwrite what somebody else has stored since the page was opened', async () => {
    const id = await newCourse('Open Page')
    const mine = await owner.get(`/account/school/courses/${id}/updateCourse-price`)
    await perform(owner, `/account/school/courses/${id}/updateCourse-price`, { price: '80' })
    const late = await send(owner, mine, { price: '10' }, form)
    expect(late.status).toBe(412)
    expect(textOf(late.html)).toContain('Somebody changed this in the meantime.')
    expect(late.html).toContain('value="80.00"')
  })

  test('takes no field that it does not have', async () => {
    const id = await newCourse('Plain Form')
    const fields = { price: '64', title: 'Renamed', status: 'published', school_id: 'x', 'price.currency': 'USD' }
    const seen = await effect(owner, `/account/school/courses/${id}/updateCourse-price`, fields)
    await send(owner, seen, fields, form)
    const row = (await owner.get(`/account/school/courses/${id}`)).html
    expect([row.includes('€64.00'), row.includes('Renamed'), row.includes('Draft')]).toEqual([true, false, true])
  })

  test('has long texts as Markdown, and shows how they will look', async () => {
    const id = await newCourse('Well Written')
    const seen = await effect(owner, `/account/school/courses/${id}/updateCourse`, {
      description: '# Clay\r\n\r\n**Wedge** <script>alert(1)</script>',
    })
    expect(seen.html).toMatch(/<strong>Wedge<\/strong>/)
    expect(seen.html).not.toContain('<script>alert')
  })

  test('creates a coupon with one of two kinds of discount, and enrols a person by their name', async () => {
    const coupon = { code: 'SPRING25', 'discount.type': 'percent', 'discount.percent_off': '25' }
    const made = await perform(owner, '/account/school/coupons/-/createCoupon', coupon)
    expect((await owner.get(made.location?.href ?? '')).html).toContain('SPRING25')
    const id = await newCourse('Enrol Here')
    await perform(owner, '/account/school/students/-/createStudent', { name: 'Ana Ferreira', email: 'ana@example.com' })
    const enrolled = await perform(owner, `/account/school/enrollments/-/createEnrollment?course_id=${id}`, {
      course_id: id,
      student_email: 'ana@example.com',
      override: 'yes',
    })
    expect((await owner.get(enrolled.location?.href ?? '')).html).toContain('Ana Ferreira')
  })
})

/** Sends the form of the page on which rows are imported, as a browser does. */
async function importRows(browser: Browser, page: Answer, fields: Record<string, string | File>): Promise<Answer> {
  const form = page.html.match(/<form\b[\s\S]*?<\/form>/g)?.find((one) => one.includes('multipart/form-data')) ?? ''
  const body = new FormData()
  const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  for (const [name, value] of Object.entries({ ...Object.fromEntries(hidden), ...fields })) body.append(name, value)
  return await browser.send('/account/school/students/import', { method: 'POST', body })
}

describe('the list of a resource', () => {
  test('finds rows by words and filters, counts them, and keeps both on the next page', async () => {
    for (let at = 0; at < 3; at += 1) await newCourse(`Counted ${at}`)
    expect((await titles('?q=counted')).length).toBe(3)
    const { html } = await owner.get('/account/school/courses?q=counted&status=draft&sort=title')
    expect(html).toContain('3 entries')
    expect(html).toMatch(/<option value="draft" selected>/)
    expect(await titles('?q=counted&status=published')).toEqual([])
    expect((await owner.get('/account/school/courses?status=nothing')).status).toBe(404)
    expect((await owner.get('/account/school/nothing')).status).toBe(404)
  })

  test('does the same with several ticked rows, after it has said for which it is possible', async () => {
    const [first, second] = [await newCourse('Ticked One'), await newCourse('Ticked Two')]
    const page = await owner.get('/account/school/courses?q=ticked')
    const csrf = /name="csrf" value="([^"]*)"/.exec(page.html)?.[1] ?? ''
    const post = (row: string[], more = {}) =>
      owner.post(`${service.issuer}/account/school/courses/many`, {
        csrf,
        deed: 'deleteCourse',
        once: 'x'.repeat(26),
        at: '?q=ticked',
        row,
        ...more,
      })
    const seen = await post([first, second, 'crs_01jgwejj00e6srgkpqm2sqf05m'])
    expect(textOf(seen.html)).toContain('Possible for 2 entries.')
    expect((await titles('?q=ticked')).length).toBe(2)
    const done = await post([first, second], { seen: [first, second].join() })
    expect([done.status, done.location?.search]).toEqual([303, '?q=ticked&done=done'])
    expect(await titles('?q=ticked')).toEqual([])
  })

  test('of people comes and goes as a CSV file, of which each row is tried first', async () => {
    const file = await owner.get('/account/school/students/export.csv')
    expect([file.status, file.html.includes('email')]).toEqual([200, true])
    expect((await lecturer.get('/account/school/students/export.csv')).status).toBe(404)
    const names = ['Søren Ørsted', 'Дарья Ким', 'ليلى حداد', 'נועה לוי', '山田花子', 'अनिता राव']
    const rows = names.map((name, at) => `import${at}@example.org,${name}`)
    const csv = ['email,name', ...rows, 'no address,Nobody'].join('\n')
    const imported = async () => (await owner.get('/account/school/students?q=import')).html.match(/import\d@example\.org/g)?.length ?? 0
    const page = await owner.get('/account/school/students/import')
    const tried = await importRows(owner, page, { file: new File([csv], 'people.csv', { type: 'text/csv' }) })
    const shown = textOf(tried.html)
    expect([tried.status, await imported()], shown.slice(-2000)).toEqual([200, 0])
    for (const row of rows) expect(shown).toContain(row.split(',')[0])
    expect(shown).toMatch(/8\. no address/)
    // Browsers send the text of a field with their own line breaks.
    const crlf = { rows: csv.replaceAll('\n', '\r\n') }
    for (const [browser, status] of [
      [learner, 404],
      [lecturer, 404],
    ] as const)
      expect((await importRows(browser, tried, crlf)).status).toBe(status)
    expect((await importRows(owner, tried, { ...crlf, csrf: 'forged' })).status).toBe(403)
    expect((await importRows(owner, tried, { rows: `${csv}\nother@example.org,Other` })).status).toBe(200)
    expect(await imported()).toBe(0)
    const both = await Promise.all([1, 2].map(() => importRows(owner, tried, crlf)))
    expect(both.map(({ location }) => location?.search)).toEqual(['?done=done', '?done=done'])
    const list = await owner.get('/account/school/students?q=import')
    for (const [at, name] of names.entries()) expect(list.html).toMatch(new RegExp(`${name}[\\s\\S]*?import${at}@example\\.org`))
  })
})

describe('the permission', () => {
  test('a learner has none of these pages, and a lecturer only those of operations that they may call', async () => {
    const id = await newCourse('Not Yours')
    for (const path of [
      '',
      '/courses',
      `/courses/${id}`,
      `/courses/${id}/updateCourse`,
      '/coupons',
      '/students/import',
      '/students/export.csv',
    ])
      expect([path, (await learner.get(`/account/school${path}`)).status]).toEqual([path, 404])
    expect((await lecturer.get('/account/school/courses')).status).toBe(200)
    for (const path of [
      '/coupons',
      '/coupons/-/createCoupon',
      `/courses/${id}`,
      `/courses/${id}/updateCourse-price`,
      '/school/-/updateSchool',
    ])
      expect([path, (await lecturer.get(`/account/school${path}`)).status]).toEqual([path, 404])
  })

  test('a form without the token of the session, and one of a row that another school has, changes nothing', async () => {
    const id = await newCourse('Guarded')
    const path = `/account/school/courses/${id}/updateCourse-price`
    const seen = await effect(owner, path, { price: '1' })
    const foreign = /name="csrf" value="([^"]*)"/.exec((await learner.get('/account/profile')).html)?.[1] ?? ''
    for (const csrf of ['', foreign]) expect((await owner.post(service.issuer + path, { csrf, price: '1' })).status).toBe(403)
    expect((await learner.post(service.issuer + path, { csrf: foreign, price: '1' })).status).toBe(404)
    expect((await lecturer.post(service.issuer + path, { csrf: foreign, price: '1' })).status).toBe(403)
    expect((await owner.get('/account/school/courses/crs_01jgwejj00e6srgkpqm2sqf05m/updateCourse')).status).toBe(404)
    expect(seen.status).toBe(200)
    expect((await owner.get(`/account/school/courses/${id}`)).html).toContain('€59.00')
  })

  test('a person who gives or takes access proves who they are first', async () => {
    const invited = await effect(owner, '/account/school/staff/-/inviteStaff', { email: 'new@example.org', role: 'owner' })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 })
    const away = await send(owner, invited, { email: 'new@example.org', role: 'owner' }, /inviteStaff/)
    expect([away.status, away.location?.pathname]).toEqual([303, '/account/confirm'])
  })

  test('the bar of a public page is for those who manage it', async () => {
    const id = await newCourse('Seen In Public')
    const path = '/courses/seen-in-public'
    const bar = await owner.get(path)
    expect(bar.html).toContain(`href="/account/school/courses/${id}/updateCourse-price"`)
    expect((await createBrowser(service.issuer).get('/')).html).not.toContain('/account/school')
    expect((await learner.get('/')).html).not.toContain('/account/school')
  })
})

test('every operation and resource on the pages has a German name', () => {
  const german = createTexts('de')
  const managed = [...managedResources(operationsIn(resources)).values()]
  const deeds = managed.flatMap(({ operations }) => operations.filter(({ takesCsv }) => !takesCsv))
  expect(deeds.filter(({ label, id }) => german.deed(label, id) === label).map(({ id }) => id)).toEqual([])
  expect(managed.filter(({ title, name }) => german.resource(title, name) === title && name !== 'uploads').map(({ name }) => name)).toEqual(
    [],
  )
})
