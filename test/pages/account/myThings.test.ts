import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newPlan, newSubscription } from '../../support/memberships.ts'
import { startService } from '../../support/service.ts'
import { newOrder, newProduct, newProductFile, newProductGrant } from '../../support/shop.ts'
import type { Answer, Browser } from '../browser.ts'
import { siteOwner } from '../siteVisitor.ts'
import { send, signedIn } from './account.ts'

const quiz = {
  pass_percent: 60,
  max_attempts: 2,
  show_explanations: 'after_attempt',
  questions: [
    {
      ...{ id: 'q1', kind: 'single', prompt: 'Which clay is fired hottest?', explanation: 'Stoneware is fired above 1200 °C.' },
      choices: [
        { id: 'a', text: 'Stoneware', correct: true },
        { id: 'b', text: 'Earthenware' },
      ],
    },
    { id: 'word', kind: 'short_text', prompt: 'White clay?', accepted_answers: ['kaolin'] },
  ],
}

describe.each(await databasesToTest())('the things of a person, without scripts, on $name', ({ open }) => {
  const service = duringTests(() => startService({ open }))
  const owner = duringTests(() => siteOwner(service))
  let lecturerId: unknown
  const people = new Map<string, { browser: Browser; personId: string }>()
  beforeAll(async () => {
    lecturerId = (await owner.call('POST', '/lecturers', { display_name: 'Marlo Quillfeather' })).id
    for (const name of ['ada', 'bea']) {
      const { personId } = await service.addPerson({ email: `${name}@school.example` })
      await service.database.sql.query('UPDATE person SET is_student = true, is_member = true WHERE id = $1', [personId])
      people.set(name, { personId, browser: await signedIn(service, `${name}@school.example`) })
    }
  })

  const query = <Row extends object>(text: string, values: unknown[] = []) => service.database.sql.query<Row>(text, values)
  const person = (name: string) => {
    const found = people.get(name)
    if (!found) throw new Error(`${name} is not signed in`)
    return found
  }
  const get = (name: string, path: string): Promise<Answer> => person(name).browser.get(path)
  const tokenOf = async (name: string): Promise<string> =>
    /name="csrf" value="([^"]+)"/.exec((await get(name, '/account/profile')).html)?.[1] ?? ''
  /** Sends the form with this address, and follows the redirection. */
  async function press(name: string, page: Answer, action: string, fields: Record<string, string> = {}): Promise<Answer> {
    const sent = await send(person(name).browser, page, fields, new RegExp(`${action}$`))
    return sent.status === 303 ? await person(name).browser.follow(sent) : sent
  }
  /** The text of the main part of a page, in one line. */
  const textOf = ({ html }: Answer): string => (html.split('<main')[1] ?? html).replace(/<[^>]+>/g, '').replace(/\s+/g, ' ')

  async function publishCourse(fields: object = {}): Promise<{ id: string; slug: string; lessons: string[] }> {
    const { id, slug } = await owner.call('POST', '/courses', { title: `Clay ${newId()}`, language: 'en', access: 'free', ...fields })
    const section = await owner.call('POST', `/courses/${id}/sections`, { title: 'First pots' })
    const lessons: string[] = []
    for (const lesson of [
      { title: 'Wedging', kind: 'text', content: 'Throw the clay on the table.' },
      { title: 'Centring', kind: 'video', media: { embed_url: 'https://vimeo.com/1' } },
      { title: 'What you know', kind: 'quiz', quiz },
    ]) {
      const { id: lessonId } = await owner.call('POST', `/sections/${section.id}/lessons`, lesson)
      await owner.call('POST', `/lessons/${lessonId}/publish`, {})
      lessons.push(String(lessonId))
    }
    await owner.call('PUT', `/courses/${id}/lecturers`, { lecturer_ids: [lecturerId] })
    await owner.call('POST', `/courses/${id}/publish`, {})
    return { id: String(id), slug: String(slug), lessons }
  }
  const pathOf = ({ slug, lessons }: { slug: string; lessons: string[] }, at: number): string =>
    `/account/courses/${slug}/lessons/${lessons[at]}`

  test('leads from enrolment through lessons and quiz to the certificate', async () => {
    const course = await publishCourse({ certificate_enabled: true })
    const overview = await get('ada', `/account/courses/${course.slug}`)
    const enrolled = await press('ada', overview, '/enrol')
    expect([enrolled.status, textOf(enrolled).includes('You are enrolled.')]).toEqual([200, true])
    expect(textOf(await get('ada', '/account'))).toContain('0%, 0 of 3 lessons')

    const first = await person('ada').browser.follow(await get('ada', `/account/courses/${course.slug}/continue`))
    expect([first.url.pathname, textOf(first).includes('Throw the clay on the table.')]).toEqual([pathOf(course, 0), true])
    const second = await press('ada', first, '/progress')
    expect([second.url.pathname, textOf(second).includes('The previous lesson is marked as done.')]).toEqual([pathOf(course, 1), true])
    expect(second.html).toContain('<iframe src="https://player.vimeo.com/video/1')
    expect(second.headers.get('content-security-policy')).toContain('frame-src')
    expect(textOf(await get('ada', '/account'))).toContain('33%, 1 of 3 lessons')

    const third = await press('ada', second, '/progress')
    expect(third.url.pathname).toBe(pathOf(course, 2))
    expect(third.html).toMatch(/name="t-word"[^>]* spellcheck="false" autocapitalize="none" autocorrect="off"/)
    const failed = await press('ada', third, '/quiz', { 'q-q1': 'b', 't-word': '' })
    for (const text of ['You did not pass the quiz.', 'Your answer: Earthenware', 'Stoneware is fired above 1200 °C.', '1 attempt left'])
      expect(textOf(failed)).toContain(text)
    const passed = await press('ada', failed, '/quiz', { 'q-q1': 'a', 't-word': 'kaolin' })
    expect(textOf(passed)).toContain('You passed with 100% of the points.')

    const done = await get('ada', `/account/courses/${course.slug}`)
    expect(textOf(done)).toContain('You have completed this course.')
    const [, certificate = ''] = /href="(\/certificates\/[0-9A-Z]+)"/.exec(done.html) ?? []
    expect((await get('ada', certificate)).status).toBe(200)
    expect((await get('ada', '/account')).html).toContain(certificate)
  })

  test('a lesson can be marked as not done, and its neighbours are linked', async () => {
    const course = await publishCourse()
    await press('bea', await get('bea', `/account/courses/${course.slug}`), '/enrol')
    await press('bea', await get('bea', pathOf(course, 0)), '/progress')
    const again = await press('bea', await get('bea', pathOf(course, 0)), '/progress')
    expect(textOf(again)).toContain('This lesson is marked as not done.')
    const { html } = await get('bea', pathOf(course, 1))
    expect([html.includes(`rel="prev" href="${pathOf(course, 0)}"`), html.includes(`rel="next" href="${pathOf(course, 2)}"`)]).toEqual([
      true,
      true,
    ])
  })

  test('a quiz that is submitted twice by a double click is one attempt', async () => {
    const course = await publishCourse()
    await press('ada', await get('ada', `/account/courses/${course.slug}`), '/enrol')
    const page = await get('ada', pathOf(course, 2))
    const answers = { 'q-q1': 'a', 't-word': 'kaolin' }
    const { browser } = person('ada')
    const sent = await Promise.all([1, 2, 3].map(() => send(browser, page, answers, /\/quiz$/)))
    expect(new Set(sent.map(({ status, location }) => `${status} ${location?.search}`)).size).toBe(1)
    expect(textOf(await get('ada', pathOf(course, 2)))).toContain('You have 1 attempt left.')
  })

  test('a person who is not enrolled reads no lesson, submits no quiz, and sees no lesson of another course', async () => {
    const [course, other] = [await publishCourse(), await publishCourse()]
    const locked = await get('bea', pathOf(course, 0))
    expect([locked.status, textOf(locked).includes('Only participants'), textOf(locked).includes('Throw the clay')]).toEqual([
      200,
      true,
      false,
    ])
    const csrf = await tokenOf('bea')
    for (const form of ['progress', 'quiz']) {
      const { status } = await person('bea').browser.post(`${pathOf(course, 2)}/${form}`, { csrf, completed: 'true', 'q-q1': 'a' })
      expect([form, status >= 400 && status < 500]).toEqual([form, true])
    }
    expect((await get('bea', `/account/courses/${course.slug}/lessons/${other.lessons[0]}`)).status).toBe(404)
    for (const path of ['nothing', `nothing/lessons/${course.lessons[0]}`, `${course.slug}/lessons/les_x`])
      expect([path, (await get('bea', `/account/courses/${path}`)).status]).toEqual([path, 404])
  })

  test('shows the next payment of a membership, and cancels it with two presses', async () => {
    const { personId } = person('ada')
    const schoolId = service.schoolId()
    const { planId, priceId } = await newPlan(service.database.sql, schoolId)
    await newPlan(service.database.sql, schoolId, { amount: 9900, interval: 'year' })
    await newSubscription(service.database.sql, schoolId, { personId, planId, priceId })
    const page = await get('ada', '/account/membership')
    expect(textOf(page)).toMatch(/Next payment €12\.00 on \d+ \w+ \d{4}/)
    const year = /<option value="(prc_\w+)"[^>]*>[^<]*99\.00/.exec(page.html)?.[1] ?? ''
    const changed = await press('ada', page, '/change', { price_id: year })
    expect(textOf(changed)).toContain('The change of your plan is saved.')
    const kept = await press('ada', changed, '/keep')
    const ending = await press('ada', kept, '/cancel', { reason: 'not_using' })
    expect(textOf(ending)).toMatch(/Your membership is cancelled\..*Cancelled, ends on/)
    expect(ending.html).not.toContain('Cancel now')
    expect(textOf(await press('ada', ending, '/resume'))).toContain('Your membership continues.')
  })

  test('another person cannot cancel it, and gets the page of what is gone', async () => {
    const schoolId = service.schoolId()
    const { planId, priceId } = await newPlan(service.database.sql, schoolId)
    const id = await newSubscription(service.database.sql, schoolId, { personId: person('ada').personId, planId, priceId })
    const csrf = await tokenOf('bea')
    for (const form of ['cancel', 'resume', 'change', 'keep']) {
      const { status } = await person('bea').browser.post(`/account/membership/${form}`, {
        csrf,
        id: toPublicId('sub', id),
        price_id: toPublicId('prc', priceId),
      })
      expect([form, status]).toEqual([form, 404])
    }
    expect(await query('SELECT status, cancel_at_period_end FROM subscription WHERE id = $1', [id])).toEqual([
      { status: 'active', cancel_at_period_end: false },
    ])
  })

  test('shows the orders of a person with their receipts, and no other person reads one', async () => {
    const { sql } = service.database
    const id = await newOrder(sql, service.schoolId())
    await sql.query('UPDATE orders SET person_id = $1 WHERE id = $2', [person('ada').personId, id])
    const page = await get('ada', '/account/orders')
    expect(textOf(page)).toContain('Kiln Log')
    const path = `/account/orders/${toPublicId('ord', id)}/receipt`
    expect(page.html).toContain(`href="${path}"`)
    const receipt = await get('ada', path)
    expect([receipt.status, receipt.headers.get('content-type'), receipt.html.includes('Kiln Log')]).toEqual([
      200,
      'text/html; charset=utf-8',
      true,
    ])
    for (const document of ['receipt', 'invoice', `credit-notes/rfd_${'0'.repeat(26)}`])
      expect([document, (await get('bea', path.replace('receipt', document))).status]).toEqual([document, 404])
    expect(textOf(await get('bea', '/account/orders'))).toContain('You have no orders.')
  })

  test('downloads the files of a product of the person; another person gets 403', async () => {
    const { sql } = service.database
    const productId = await newProduct(sql, service.schoolId())
    const file = await newProductFile(sql, service.schoolId(), productId)
    await newProductGrant(sql, service.schoolId(), productId, person('ada').personId)
    const sent = await send(person('ada').browser, await get('ada', '/account'), {}, /\/download$/)
    expect([sent.status, sent.location?.pathname]).toEqual([303, expect.stringMatching(/^\/files\/fil_\w+\/kiln-log\.pdf$/)])
    const csrf = await tokenOf('bea')
    const ids = { id: toPublicId('dgp', productId), file: toPublicId('dpf', file) }
    expect((await person('bea').browser.post('/account/download', { csrf, ...ids })).status).toBe(403)
  })

  test('deletes the account together with the membership, in one step', async () => {
    const { personId } = await service.addPerson({ email: 'cleo@school.example' })
    await query('UPDATE person SET is_member = true WHERE id = $1', [personId])
    people.set('cleo', { personId, browser: await signedIn(service, 'cleo@school.example') })
    const schoolId = service.schoolId()
    const { planId, priceId } = await newPlan(service.database.sql, schoolId)
    const id = await newSubscription(service.database.sql, schoolId, { personId, planId, priceId })
    const page = await get('cleo', '/account/data')
    expect(textOf(page)).toContain('Your membership Workbench is cancelled as well')
    const deleted = await press('cleo', page, '/delete', { confirmed: 'yes' })
    expect(textOf(deleted)).toContain('Your account will be deleted')
    expect(await query('SELECT cancel_at_period_end FROM subscription WHERE id = $1', [id])).toEqual([{ cancel_at_period_end: true }])
  })

  test('lists the registrations of a person, with a file for calendar programs', async () => {
    const starts = new Date(Date.now() + 48 * 3_600_000).toISOString()
    const ends = new Date(Date.now() + 50 * 3_600_000).toISOString()
    const { id, slug } = await owner.call('POST', '/events', {
      ...{ title: 'Open kiln', kind: 'in_person', location: { name: 'Kiln house' }, starts_at: starts, ends_at: ends },
    })
    await owner.call('POST', `/events/${id}/publish`, {})
    await press('ada', await get('ada', `/account/events/${slug}`), `/events/${slug}`)
    const page = await get('ada', '/account/events')
    expect(textOf(page)).toMatch(/Open kiln.*Kiln house/)
    const file = await get('ada', `/account/events/${slug}/event.ics`)
    expect([file.headers.get('content-type'), file.headers.get('content-disposition')]).toEqual([
      'text/calendar; charset=utf-8',
      `attachment; filename="${slug}.ics"`,
    ])
    expect(file.html).toContain('SUMMARY:Open kiln')
    expect(textOf(await get('bea', '/account/events'))).toContain('You are not registered for an event.')
  })
})
