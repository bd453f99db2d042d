import { beforeAll, describe, expect, test } from 'vitest'
import { fromPublicId, newId, toPublicId } from '../../../src/base/ids.ts'
import { createKeyring } from '../../../src/base/keyring.ts'
import type { Email } from '../../../src/base/mail/transport.ts'
import { createOutbox } from '../../../src/operate/compose/outbox.ts'
import { drain } from '../../../src/operate/jobs/drain.ts'
import { sendNotifications } from '../../../src/school/notifications/jobs/sendNews.ts'
import { notificationPreferences, optionalPreferences } from '../../../src/school/notifications/notificationPreferences.ts'
import { send, signedIn } from '../../pages/account/account.ts'
import { newPeople, newPlan, newSubscription } from '../../support/community.ts'
import { databasesToTest } from '../../support/databases.ts'
import { duringTests } from '../../support/duringTests.ts'
import { startSales } from '../../support/sales.ts'
import { rootSecret } from '../../support/service.ts'
import { newCoupon, newProduct } from '../../support/shop.ts'

const anyVersion = { headers: { 'if-match': '*' } }

describe.each(await databasesToTest())('e-mails about news, on $name', ({ open }) => {
  const sales = duringTests(() => startSales({ open }))
  let seen = 0
  beforeAll(async () => {
    await sales.call('PATCH', '/school', { settings: { tax: { mode: 'inclusive', default_rate_bps: 1900 } } }, anyVersion)
  })

  const query = <Row extends object>(text: string, values: unknown[] = []) => sales.service.database.sql.query<Row>(text, values)
  const done = async (method: string, path: string, body?: object, as?: string) => {
    const { status, body: answer } = await sales.call(method, path, body, { ...anyVersion, ...(as !== undefined && { as }) })
    expect([method, path, status < 300, answer]).toEqual([method, path, true, answer])
    return answer
  }
  const runJob = () => sales.service.app.jobs.find(({ name }) => name === 'send_notifications')?.run()
  /** Lets the waiting time pass, runs the job twice, and returns the e-mails that came since the last call. */
  async function delivered(): Promise<Email[]> {
    await query('UPDATE notification SET due_at = now() WHERE finished_at IS NULL')
    await runJob()
    await runJob()
    const all = await sales.service.emails()
    const since = all.slice(seen)
    seen = all.length
    return since
  }
  const addresses = (emails: readonly Email[]) => emails.map(({ to }) => to).toSorted()
  /** Adds a person who has chosen every e-mail. */
  const somebody = async (more: { role?: 'lecturer' } = {}) => {
    const email = `${newId()}@example.org`
    const { accountId, personId } = await sales.service.addPerson({ email, ...more })
    await query('UPDATE account SET preferences = $2 WHERE id = $1', [accountId, JSON.stringify({ product_updates: 'email' })])
    return { email, accountId, personId }
  }
  const turnOff = (accountId: string, name: string) =>
    query('UPDATE account SET preferences = $2 WHERE id = $1', [accountId, JSON.stringify({ [name]: 'none' })])

  test('every preference of the API controls e-mails', () => {
    for (const [name, { emails }] of Object.entries(notificationPreferences)) expect([name, emails.length > 0]).toEqual([name, true])
    expect(optionalPreferences).toEqual(['course_activity', 'comment_replies', 'event_reminders', 'product_updates'])
  })

  describe('posts', () => {
    const published = async (body: object, when: object = {}) => {
      const post = await done('POST', '/posts', { title: `Firing ${newId()}`, content: 'Hot.', ...body })
      await done('POST', `/posts/${post.id}/publish`, when)
      return post as { id: string; title: string; slug: string }
    }
    const about = (emails: readonly Email[], { title }: { title: string }) => emails.filter(({ subject }) => subject.includes(title))

    test('a post goes once to everybody who may read it, wants news and is not blocked, in their language, with a link that unsubscribes', async () => {
      const [member, blocked, quiet, gone] = [await somebody(), await somebody(), await somebody(), await somebody()]
      await query(`UPDATE person SET is_member = true, member_status = 'active', locale = 'de' WHERE id = $1`, [member.personId])
      await query(`UPDATE person SET member_status = 'blocked' WHERE id = $1`, [blocked.personId])
      await query('UPDATE account SET disabled_at = now() WHERE id = $1', [gone.accountId])
      await turnOff(quiet.accountId, 'product_updates')
      const open = await published({})
      const mails = about(await delivered(), open)
      const readers = (
        await query<{ email: string }>(
          `SELECT account.email FROM person JOIN account ON account.id = person.account_id
            WHERE person.school_id = $1 AND account.disabled_at IS NULL AND person.member_status <> 'blocked' AND account.id <> $2
              AND account.preferences ->> 'product_updates' = 'email'`,
          [sales.schoolId, quiet.accountId],
        )
      ).map(({ email }) => email)
      expect(addresses(mails)).toEqual(readers.toSorted())
      const german = mails.find(({ to }) => to === member.email)
      expect(german?.text).toContain(`Beitrag lesen:\n${sales.service.issuer}/posts/${open.slug}\n`)
      expect(german?.text).toMatch(/Diese E-Mails abbestellen: http\S+\/unsubscribe\?token=/)
      expect(german?.unsubscribe).toContain(`${sales.service.issuer}/unsubscribe?token=acc_`)
      expect((await fetch(`${sales.service.issuer}/posts/${open.slug}`)).status).toBe(200)
      expect(await delivered()).toEqual([])
    })

    test('a post goes to people who chose news or agreed to marketing, not to those who refused it or were never asked', async () => {
      const people = {
        agreed: await somebody(),
        chose: await somebody(),
        refused: await somebody(),
        never: await somebody(),
        left: await somebody(),
      }
      const { agreed, refused, never, left } = people
      const forget = ({ accountId }: { accountId: string }) => query(`UPDATE account SET preferences = '{}' WHERE id = $1`, [accountId])
      const choose = ({ personId }: { personId: string }, granted: boolean) =>
        query('UPDATE person SET marketing_consent = $2 WHERE id = $1', [personId, JSON.stringify({ granted, at: new Date() })])
      for (const one of [agreed, refused, never]) await forget(one)
      for (const [one, granted] of [
        [agreed, true],
        [left, true],
        [refused, false],
      ] as const)
        await choose(one, granted)
      await turnOff(left.accountId, 'product_updates')
      const post = await published({})
      const to = addresses(about(await delivered(), post))
      const got = Object.fromEntries(Object.entries(people).map(([name, { email }]) => [name, to.includes(email)]))
      expect(got).toEqual({ agreed: true, chose: true, refused: false, never: false, left: false })
      // The API and the page say the same, and a box that nobody ticked is not ticked.
      const box = (html: string) => /<input[^>]* name="product_updates"[^>]*>/.exec(html)?.[0] ?? ''
      for (const [name, { email }] of Object.entries(people)) {
        const html = (await (await signedIn(sales.service, email)).get('/account/notifications')).html
        const { notification_preferences: preferences } = await done('GET', '/account', undefined, email)
        expect([name, preferences.product_updates, / checked/.test(box(html))]).toEqual([name, got[name] ? 'email' : 'none', got[name]])
        expect([name, html.includes('because you refused marketing'), / disabled/.test(box(html))]).toEqual([
          name,
          name === 'refused',
          name === 'refused',
        ])
      }
      // Ticking the box is the consent. A change of other choices is not a consent.
      await done('PATCH', '/account', { notification_preferences: { event_reminders: 'none' } }, never.email)
      const second = await published({})
      expect(addresses(about(await delivered(), second))).not.toContain(never.email)
      const browser = await signedIn(sales.service, never.email)
      await send(browser, await browser.get('/account/notifications'), { product_updates: 'yes' }, /notifications$/)
      const third = await published({})
      expect(addresses(about(await delivered(), third))).toContain(never.email)
    })

    test('a restricted post goes only to those who may read its text', async () => {
      const [member, subscriber] = [await somebody(), await somebody()]
      await query('UPDATE person SET is_member = true WHERE id = ANY($1)', [[member.personId, subscriber.personId]])
      const planId = await newPlan(sales.service.database.sql, sales.schoolId)
      await newSubscription(sales.service.database.sql, sales.schoolId, { personId: subscriber.personId, planId })
      const paid = await published({ visibility: 'paid' })
      expect(addresses(about(await delivered(), paid))).toEqual([subscriber.email])
      const ofPlan = await published({ visibility: 'plans', plan_ids: [toPublicId('mpl', planId)] })
      expect(addresses(about(await delivered(), ofPlan))).toEqual([subscriber.email])
      const members = await published({ visibility: 'members' })
      const to = addresses(about(await delivered(), members))
      expect([to.includes(member.email), to.includes(subscriber.email)]).toEqual([true, true])
    })

    test('nothing is sent of a post that is unpublished before its time, and a scheduled one waits for its time', async () => {
      const post = await published({})
      await done('POST', `/posts/${post.id}/unpublish`, {})
      expect(about(await delivered(), post)).toEqual([])
      await done('POST', `/posts/${post.id}/publish`, {})
      expect(about(await delivered(), post).length).toBeGreaterThan(0)
      await done('POST', `/posts/${post.id}/unpublish`, {})
      await done('POST', `/posts/${post.id}/publish`, {})
      expect(about(await delivered(), post)).toEqual([])
      const later = await published({}, { scheduled_for: new Date(Date.now() + 3_600_000).toISOString() })
      const [row] = await query<{ waits: boolean }>(
        `SELECT due_at > now() + interval '59 minutes' AS waits FROM notification WHERE subject_id = $1`,
        [fromPublicId('pst', later.id)],
      )
      expect(row).toEqual({ waits: true })
    })

    test('many readers get one e-mail each from several workers together, in bounded transactions, while a receipt goes between', async () => {
      const people = await newPeople(sales.service.database.sql, sales.schoolId, 230)
      await query(`UPDATE person SET marketing_consent = '{"granted": true}' WHERE email = ANY($1)`, [people.map(({ email }) => email)])
      const product = await newProduct(sales.service.database.sql, sales.schoolId)
      const post = await published({ visibility: 'members' })
      const { body: order } = await sales.platform.report('/orders', {
        buyer: { email: 'between@example.org', name: 'Bea' },
        items: [{ type: 'digital_product', id: toPublicId('dgp', product) }],
      })
      await query('UPDATE notification SET due_at = now() WHERE finished_at IS NULL')
      const outbox = createOutbox({ database: sales.service.database, keyring: createKeyring([rootSecret]) })
      const largest: number[] = []
      const send: typeof outbox.send = (db, school, to, kind, values) => {
        largest.push([to].flat().length)
        return outbox.send(db, school, to, kind, values)
      }
      const schools = sales.service.app.schools.all.map(({ school }) => school)
      const args = { schools, send, hasPages: () => true, limit: 40 }
      const once = () => sendNotifications(sales.service.database, args).then(({ isDue }) => Number(isDue))
      await once()
      await sales.platform.report(`/orders/${order.number}/pay`, { amount: order.total.amount, currency: 'EUR' })
      // The post had waited before the receipt came, and goes behind it.
      for (const _turn of [1, 2]) await once()
      expect(await query('SELECT kind FROM outbox ORDER BY id DESC LIMIT 1')).toEqual([{ kind: 'email' }])
      const unfinished = 'SELECT kind FROM notification WHERE finished_at IS NULL AND subject_id = $1'
      expect(await query(unfinished, [fromPublicId('pst', post.id)])).toEqual([{ kind: 'post' }])
      await Promise.all([1, 2, 3].map(() => drain(once)))
      expect(Math.max(...largest)).toBe(40)
      const mails = about(await delivered(), post)
      const ours = addresses(mails).filter((email) => people.some((one) => one.email === email))
      expect(ours).toEqual(people.map(({ email }) => email).toSorted())
      expect(new Set(addresses(mails)).size).toBe(mails.length)
    })
  })

  describe('courses', () => {
    async function newCourse() {
      const lecturer = await done('POST', '/lecturers', { display_name: 'Marlo' })
      const course = await done('POST', '/courses', { title: `Clay ${newId()}`, lecturer_ids: [lecturer.id] })
      const section = await done('POST', `/courses/${course.id}/sections`, { title: 'First' })
      const lesson = async (title: string, more: object = {}) =>
        await done('POST', `/sections/${section.id}/lessons`, { title, kind: 'text', content: 'Centre it.', ...more })
      const first = await lesson('Zero')
      await done('POST', `/lessons/${first.id}/publish`)
      await done('POST', `/courses/${course.id}/publish`)
      await delivered()
      return { ...course, section: section.id, lesson } as {
        id: string
        title: string
        slug: string
        section: string
        lesson: typeof lesson
      }
    }
    const enrol = async (course: { id: string }, personId: string) =>
      await done('POST', '/enrollments', { course_id: course.id, student_id: toPublicId('std', personId) })

    test('lessons that are published together become one e-mail for each student, with their titles and the course', async () => {
      const [student, canceled, quiet, stranger] = [await somebody(), await somebody(), await somebody(), await somebody()]
      const course = await newCourse()
      for (const { personId } of [student, quiet]) await enrol(course, personId)
      const enrollment = await enrol(course, canceled.personId)
      await done('POST', `/enrollments/${enrollment.id}/cancel`, {})
      await turnOff(quiet.accountId, 'course_activity')
      await delivered()
      for (const title of ['Glaze', 'Fire']) await done('POST', `/lessons/${(await course.lesson(title)).id}/publish`)
      const hidden = await course.lesson('Withdrawn')
      await done('POST', `/lessons/${hidden.id}/publish`)
      await done('POST', `/lessons/${hidden.id}/unpublish`)
      const mails = await delivered()
      expect(addresses(mails)).toEqual([student.email])
      expect(mails[0]?.subject).toBe(`First School: new lessons in ${course.title}`)
      expect(mails[0]?.text).toContain('Lesson: Glaze\nLesson: Fire\n')
      expect(mails[0]?.text).not.toMatch(/Withdrawn|Zero/)
      expect(mails[0]?.text).toContain(`Go to the course:\n${sales.service.issuer}/account/courses/${course.slug}\n`)
      expect(stranger.email).not.toBe(student.email)
    })

    test('a transaction that is rolled back announces nothing, and an import announces the lessons that it publishes', async () => {
      const student = await somebody()
      const course = await newCourse()
      await enrol(course, student.personId)
      await delivered()
      const lesson = await course.lesson('Refused')
      expect((await sales.call('POST', `/lessons/${lesson.id}/publish`, undefined, { headers: { 'if-match': '"99"' } })).status).toBe(412)
      expect(await delivered()).toEqual([])
      const lessons = ['A', 'B'].map((title) => ({ title, kind: 'text', status: 'published', external_id: `${title}-${newId()}` }))
      await done('POST', `/courses/${course.id}/curriculum/import`, {
        mode: 'merge',
        sections: [{ title: 'New', external_id: newId(), lessons }],
      })
      expect((await delivered()).map(({ text }) => text.match(/Lesson: (.*)/g))).toEqual([['Lesson: A', 'Lesson: B']])
    })

    test('a dry run counts the e-mails that the request lets jobs send', async () => {
      const [student, other] = [await somebody(), await somebody()]
      const course = await newCourse()
      for (const { personId } of [student, other]) await enrol(course, personId)
      const lesson = await course.lesson('Counted')
      const post = await done('POST', '/posts', { title: `Counted ${newId()}`, content: 'Hot.' })
      const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
      const event = await done('POST', '/events', {
        title: 'Open studio',
        starts_at: day(3),
        ends_at: day(4),
        kind: 'online',
        location: { name: 'Room' },
        join_url: 'https://example.org/room',
      })
      await done('POST', `/events/${event.id}/publish`)
      await query('UPDATE person SET is_member = true WHERE id = ANY($1)', [[student.personId, other.personId]])
      for (const { personId } of [student, other])
        await done('POST', `/events/${event.id}/rsvps`, { member_id: toPublicId('mbr', personId), status: 'going' })
      await delivered()
      for (const [method, path, body] of [
        ['POST', `/lessons/${lesson.id}/publish`, undefined],
        ['POST', `/posts/${post.id}/publish`, {}],
        ['PATCH', `/events/${event.id}`, { starts_at: day(2) }],
      ] as const) {
        const dry = await sales.call(method, path, body, { headers: { ...anyVersion.headers, 'dry-run': 'true' } })
        expect(await delivered()).toEqual([])
        await done(method, path, body)
        await query('UPDATE event SET move_notice_at = now() WHERE move_notice_at IS NOT NULL')
        await sales.service.app.jobs.find(({ name }) => name === 'notify_of_moved_events')?.run()
        const sent = (await delivered()).length
        expect([path, dry.body.dry_run?.emails, sent > 0]).toEqual([path, sent, true])
      }
    })

    test('a quiz that is graded again reaches those whose result changed', async () => {
      const [changed, without] = [await somebody(), await somebody()]
      const course = await newCourse()
      const quiz = (correct: 'a' | 'b') => ({
        pass_percent: 100,
        questions: [
          {
            id: 'q1',
            kind: 'single',
            prompt: 'Which?',
            points: 1,
            choices: ['a', 'b'].map((id) => ({ id, text: id, correct: id === correct })),
          },
        ],
      })
      const lesson = await course.lesson('Quiz', { kind: 'quiz', content: undefined, quiz: quiz('a') })
      await done('POST', `/lessons/${lesson.id}/publish`)
      for (const { personId } of [changed, without]) await enrol(course, personId)
      await done('GET', '/account', undefined, changed.email)
      await delivered()
      const answers = [{ question_id: 'q1', choice_ids: ['b'] }]
      await done('POST', `/lessons/${lesson.id}/quiz_attempts`, { answers }, changed.email)
      await done('PATCH', `/lessons/${lesson.id}`, { quiz: quiz('b') })
      await done('POST', '/quiz_attempts/regrade', { lesson_id: lesson.id })
      const mails = await delivered()
      expect(addresses(mails)).toEqual([changed.email])
      expect(mails[0]?.text).toContain(`See the result:\n${sales.service.issuer}/account/courses/${course.slug}/lessons/${lesson.id}\n`)
    })
  })

  describe('comments', () => {
    const hostile = 'Win at https://evil.example/now "or" mail me@evil.example'
    const comment = async (subject: object, email: string, more: object = {}) => {
      const { status, body } = await sales.platform.report('/comments', { subject, author: { email }, body: 'Which clay?', ...more })
      expect([status, body]).toEqual([201, body])
      return String(body.id)
    }
    const newPost = async (body: object = {}) => {
      const post = await done('POST', '/posts', { title: `Talk ${newId()}`, content: 'Hot.', ...body })
      await done('POST', `/posts/${post.id}/publish`, {})
      await delivered()
      return { type: 'post', id: post.id as string }
    }
    const comments = (emails: readonly Email[]) => emails.filter(({ subject }) => /comment/.test(subject))

    test('replies reach the author of the comment in one e-mail, without links of others; their own replies do not', async () => {
      const [author, replier] = [await somebody(), await somebody()]
      const post = await newPost()
      const parent_id = await comment(post, author.email)
      await delivered()
      await comment(post, author.email, { parent_id })
      expect(comments(await delivered())).toEqual([])
      for (const body of ['Stoneware', hostile]) await comment(post, replier.email, { parent_id, body })
      const mails = comments(await delivered())
      expect(addresses(mails)).toEqual([author.email])
      expect(mails[0]?.text).toContain('New replies since the last e-mail: 2.')
      expect(mails[0]?.text).not.toContain('evil.example')
      expect(mails[0]?.html).not.toContain('evil.example')
      expect(mails[0]?.unsubscribe).toContain('.comment_replies.')
    })

    test('no reply is sent from or to blocked people, of hidden or deleted comments, without permission to read, or twice', async () => {
      const [author, replier] = [await somebody(), await somebody()]
      const post = await newPost()
      const parent_id = await comment(post, author.email)
      await delivered()
      const reply = await comment(post, replier.email, { parent_id })
      await sales.platform.report(`/comments/${reply}/hide`, { moderator: 'Hazel' })
      expect(comments(await delivered())).toEqual([])
      await sales.platform.report(`/comments/${reply}/approve`, { moderator: 'Hazel' })
      expect(addresses(comments(await delivered()))).toEqual([author.email])
      await sales.platform.report(`/comments/${reply}/hide`, { moderator: 'Hazel' })
      await sales.platform.report(`/comments/${reply}/approve`, { moderator: 'Hazel' })
      expect(comments(await delivered())).toEqual([])
      for (const [undo, statement, id] of [
        [
          `UPDATE person SET member_status = 'active' WHERE id = $1`,
          `UPDATE person SET member_status = 'blocked' WHERE id = $1`,
          replier.personId,
        ],
        [
          `UPDATE person SET member_status = 'active' WHERE id = $1`,
          `UPDATE person SET member_status = 'blocked' WHERE id = $1`,
          author.personId,
        ],
        [
          `UPDATE post SET visibility = 'public' WHERE id = $1`,
          `UPDATE post SET visibility = 'paid' WHERE id = $1`,
          fromPublicId('pst', post.id),
        ],
      ] as const) {
        await comment(post, replier.email, { parent_id })
        await query(statement, [id])
        expect([statement, comments(await delivered())]).toEqual([statement, []])
        await query(undo, [id])
      }
      await turnOff(author.accountId, 'comment_replies')
      await comment(post, replier.email, { parent_id })
      expect(comments(await delivered())).toEqual([])
    })

    test('comments on a post reach the lecturer who wrote it', async () => {
      const writer = await somebody({ role: 'lecturer' })
      const lecturer = await done('POST', '/lecturers', { display_name: 'Marlo' })
      await query('UPDATE staff SET lecturer_id = $2 WHERE person_id = $1', [writer.personId, fromPublicId('lec', lecturer.id)])
      const post = await newPost({ author_lecturer_id: lecturer.id })
      await comment(post, (await somebody()).email)
      await comment(post, writer.email)
      const mails = comments(await delivered())
      expect(addresses(mails)).toEqual([writer.email])
      expect(mails[0]?.text).toContain('New comments since the last e-mail: 1.')
    })
  })

  describe('orders', () => {
    async function ordered(email: string, { quantity = 1 } = {}) {
      const items = await Promise.all(
        Array.from({ length: quantity }, async () => ({
          type: 'digital_product',
          id: toPublicId('dgp', await newProduct(sales.service.database.sql, sales.schoolId, { price: 11_900 })),
        })),
      )
      return (await sales.platform.report('/orders', { buyer: { email, name: 'Wren' }, items })).body
    }
    const pay = async (order: { number: string; total: { amount: number } }, reference?: string) =>
      await sales.platform.report(`/orders/${order.number}/pay`, {
        ...{ amount: order.total.amount, currency: 'EUR' },
        ...(reference !== undefined && { reference }),
      })

    test('a paid order sends one receipt with the amounts of its invoice and a link to it, also to people who turned everything off', async () => {
      const buyer = await somebody()
      await query('UPDATE account SET preferences = $2 WHERE id = $1', [
        buyer.accountId,
        JSON.stringify(Object.fromEntries(optionalPreferences.map((name) => [name, 'none']))),
      ])
      const order = await ordered(buyer.email, { quantity: 2 })
      expect(await delivered()).toEqual([])
      expect((await pay({ ...order, total: { amount: 1 } })).status).toBe(422)
      expect(await delivered()).toEqual([])
      const reference = newId()
      for (let count = 0; count < 3; count++) expect((await pay(order, reference)).status).toBe(200)
      const mails = await delivered()
      expect(addresses(mails)).toEqual([buyer.email])
      const { text = '', unsubscribe, subject } = mails[0] ?? {}
      const paid = await done('GET', `/orders/${order.id}`, undefined, buyer.email)
      expect(subject).toBe(`First School: receipt for order ${order.number}`)
      expect(text).toContain(`Invoice: ${paid.invoice_number}\n`)
      expect(text).toContain('Item: Kiln Log: €119.00\nItem: Kiln Log: €119.00\nNet amount: €200.00\nTax (19%): €38.00\nTotal: €238.00\n')
      expect(unsubscribe).toBeUndefined()
      const link = `${sales.service.issuer}/account/orders/${order.id}/invoice`
      expect(text).toContain(`See the invoice:\n${link}\n`)
      const page = await fetch(link, { redirect: 'manual' })
      expect([page.status, page.headers.get('location')?.includes('/account/sign-in')]).toEqual([303, true])
    })

    test('refunds send their amount, and a free order a receipt; buyers without an account get them too', async () => {
      const order = await ordered('guest@example.org')
      await pay(order)
      await delivered()
      expect((await sales.platform.report(`/orders/${order.number}/refund`, { amount: 1190 })).status).toBe(200)
      const [refund, ...more] = await delivered()
      expect(more).toEqual([])
      expect([refund?.to, refund?.text.match(/Refunded: .*/)?.[0]]).toEqual(['guest@example.org', 'Refunded: €11.90'])
      const buyer = await somebody()
      const product = await newProduct(sales.service.database.sql, sales.schoolId, { price: 900 })
      const code = `FREE${newId().slice(-6)}`.toUpperCase()
      await done('GET', '/account', undefined, buyer.email)
      await delivered()
      await newCoupon(sales.service.database.sql, sales.schoolId, { code })
      await done('POST', '/coupon_redemptions', { code, item: { type: 'digital_product', id: toPublicId('dgp', product) } }, buyer.email)
      const mails = await delivered()
      expect(addresses(mails)).toEqual([buyer.email])
      expect(mails[0]?.text).toContain('Total: €0.00')
      expect(mails[0]?.text).toMatch(/See the receipt:\nhttp\S+\/account\/orders\/ord_\w+\/receipt\n/)
    })
  })

  test('news that cannot be written waits, news of another release is dropped, and other news goes on', async () => {
    await delivered()
    const orders: { id: string; number: string; total: { amount: number } }[] = []
    for (const email of ['one@example.org', 'two@example.org']) {
      const item = { type: 'digital_product', id: toPublicId('dgp', await newProduct(sales.service.database.sql, sales.schoolId)) }
      const { body } = await sales.platform.report('/orders', { buyer: { email, name: 'Wren' }, items: [item] })
      await sales.platform.report(`/orders/${body.number}/pay`, { amount: body.total.amount, currency: 'EUR' })
      orders.push(body)
    }
    await query(
      `INSERT INTO notification (school_id, kind, subject_id, group_id, occurred_at, due_at) VALUES ($1, 'future', $2, $2, now(), now())`,
      [sales.schoolId, newId()],
    )
    await query(`UPDATE notification SET due_at = now() - interval '1 hour' WHERE subject_id = $1`, [
      fromPublicId('ord', String(orders[0]?.id)),
    ])
    const schools = sales.service.app.schools.all.map(({ school }) => school)
    const send = async () => {
      throw new Error('the template is broken')
    }
    const args = { schools, send, hasPages: () => true, limit: 10 }
    expect((await sendNotifications(sales.service.database, args)).failure).toMatchObject({ message: 'the template is broken' })
    await runJob()
    expect((await sales.service.emails()).slice(seen).map(({ to }) => to)).toEqual(['two@example.org'])
    expect(addresses(await delivered())).toEqual(['one@example.org', 'two@example.org'])
    expect(await query(`SELECT 1 FROM notification WHERE kind = 'future'`)).toEqual([])
  })
})
