import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { newId, toPublicId } from '../../../src/base/ids.ts'
import { operationsIn, resources } from '../../../src/school/index.ts'
import { newComment, newEvent, newPost } from '../../support/community.ts'
import { duringTests } from '../../support/duringTests.ts'
import { newEnrollments } from '../../support/learners.ts'
import { newPlan, newSubscription } from '../../support/memberships.ts'
import { startService } from '../../support/service.ts'
import { newCourse, newOrder, newProduct, newProductFile, newProductGrant } from '../../support/shop.ts'
import type { Browser } from '../browser.ts'
import { send, signedIn } from './account.ts'

/** One row more than the largest page of the API. */
const count = 101
const numbers = Array.from({ length: count }, (_, index) => index)
const nameOf = (index: number): string => `Row-${String(index).padStart(3, '0')}`
const names = numbers.map(nameOf)

/** Each list that the pages read, with the pages that show it; the query parameter of a list is the id of its section. */
const lists: Record<string, { page: string; section: string }[]> = {
  listOrders: [{ page: '/account/orders', section: 'orders' }],
  listStudentEnrollments: [{ page: '/account', section: 'courses' }],
  listDigitalProducts: [{ page: '/account', section: 'downloads' }],
  listEvents: [
    { page: '/account/events', section: 'upcoming' },
    { page: '/account/events', section: 'past' },
  ],
  // The page of the memberships shows all of them.
  listSubscriptions: [{ page: '/account/membership', section: 'ended' }],
  listPlans: [{ page: '/account/membership', section: 'ended' }],
  listStudents: [
    { page: '/account/school/people', section: 'students' },
    { page: '/account/school/statistics?rows=new_students', section: 'behind' },
  ],
  listEnrollments: [{ page: '/account/school/statistics?rows=enrollments', section: 'behind' }],
  listMembers: [{ page: '/account/school/people', section: 'members' }],
  listForms: [{ page: '/account/school/forms', section: 'forms' }],
  // Only counted.
  listFormSubmissions: [],
  listFormSubmissionsOf: [{ page: 'answers', section: 'answers' }],
  listComments: [
    { page: '/account/school/comments', section: 'waiting' },
    { page: '/account/school/comments', section: 'others' },
    { page: 'post', section: 'cursor' },
    { page: 'lesson', section: 'comments' },
  ],
  listQuizAttempts: [],
  // Only the first row is read.
  listCourses: [],
  listLecturers: [],
}

describe('a list with one row more than a page', () => {
  const service = duringTests(() => startService())
  let owner: Browser
  let me: { personId: string; schoolId: string }
  const pages: Record<string, string> = {}
  const query = (text: string, values: unknown[] = []) => service.database.sql.query<Record<string, string>>(text, values)

  /** Copies a row once for each number, with these values. Returns the new ids. */
  async function copies(table: string, id: string, values: (index: number) => object): Promise<string[]> {
    const ids = numbers.map(() => newId())
    const rows = ids.map((copy, index) => ({ id: copy, ...values(index) }))
    await query(
      `INSERT INTO "${table}" SELECT (jsonb_populate_record(original, given.value)).* FROM "${table}" original, jsonb_array_elements($2::jsonb) AS given WHERE original.id = $1`,
      [id, JSON.stringify(rows)],
    )
    return ids
  }
  const at = (ids: readonly string[], index: number): string => String(ids[index])
  const idIn = async (table: string, column: string, id: string): Promise<string> =>
    String((await query(`SELECT id FROM ${table} WHERE ${column} = $1`, [id]))[0]?.id)

  beforeAll(async () => {
    const { sql } = service.database
    const added = await service.addPerson({ email: 'owner@example.com', role: 'owner' })
    const [row] = await query('UPDATE person SET is_student = true, is_member = true WHERE id = $1 RETURNING school_id', [added.personId])
    me = { personId: added.personId, schoolId: String(row?.school_id) }
    owner = await signedIn(service, 'owner@example.com')
    const { schoolId, personId } = me

    const order = await newOrder(sql, schoolId)
    const item = await idIn('order_item', 'order_id', order)
    const orders = await copies('orders', order, (index) => ({
      ...{ person_id: personId, number: nameOf(index), receipt_number: null, invoice_number: nameOf(index) },
    }))
    await copies('order_item', item, (index) => ({ order_id: at(orders, index) }))

    const course = await newCourse(sql, schoolId)
    const courses = await copies('course', course, (index) => ({ title: nameOf(index), slug: nameOf(index).toLowerCase() }))
    await newEnrollments(sql, schoolId, [personId], courses)

    const product = await newProduct(sql, schoolId)
    const productFile = await newProductFile(sql, schoolId, product)
    const products = await copies('digital_product', product, (index) => ({ title: nameOf(index), slug: nameOf(index).toLowerCase() }))
    await copies('product_file', productFile, (index) => ({ product_id: at(products, index) }))
    for (const id of products) await newProductGrant(sql, schoolId, id, personId)

    const event = await newEvent(sql, schoolId)
    for (const [kind, days] of [
      ['next', 1],
      ['past', -9],
    ] as const) {
      const time = (hours: number): string => new Date(Date.now() + (days * 24 + hours) * 3_600_000).toISOString()
      const events = await copies('event', event, (index) => ({
        ...{ title: nameOf(index), slug: `${kind}-${index}`, starts_at: time(0), ends_at: time(1) },
      }))
      await query(
        `INSERT INTO rsvp (school_id, id, event_id, person_id, status) SELECT $1, id, id, $3, 'going' FROM unnest($2::uuid[]) AS id`,
        [schoolId, events, personId],
      )
    }

    const { planId, priceId } = await newPlan(sql, schoolId)
    const plans = await copies('membership_plan', planId, (index) => ({ name: nameOf(index), slug: nameOf(index).toLowerCase() }))
    const prices = await copies('plan_price', priceId, (index) => ({ plan_id: at(plans, index) }))
    const subscription = await newSubscription(sql, schoolId, { personId, planId, priceId, status: 'canceled' })
    await copies('subscription', subscription, (index) => ({ plan_id: at(plans, index), price_id: at(prices, index) }))

    const other = await service.addPerson({ email: 'other@example.com' })
    for (const kind of ['is_student', 'is_member'])
      await copies('person', other.personId, (index) => ({
        ...{ is_student: false, is_member: false, [kind]: true, account_id: null },
        ...{ email: `${kind}-${index}@example.com`, name: nameOf(index), display_name: nameOf(index) },
      }))

    const form = newId()
    await query(`INSERT INTO form (school_id, id, slug, title, status) VALUES ($1, $2, 'first', 'First', 'closed')`, [schoolId, form])
    await copies('form', form, (index) => ({ title: nameOf(index), slug: nameOf(index).toLowerCase() }))
    const submission = newId()
    await query(`INSERT INTO form_submission (school_id, id, form_id, form_version, answers) VALUES ($1, $2, $3, 1, '{}')`, [
      ...[schoolId, submission, form],
    ])
    await copies('form_submission', submission, (index) => ({ name: nameOf(index) }))
    pages.answers = `/account/school/forms/${toPublicId('frm', form)}`

    const post = await newPost(sql, schoolId, { slug: 'discussed' })
    const [section, lesson] = [newId(), newId()]
    await query(`INSERT INTO section (school_id, id, course_id, title, position) VALUES ($1, $2, $3, 'One', 0)`, [
      ...[schoolId, section, courses[0]],
    ])
    await query(
      `INSERT INTO lesson (school_id, id, course_id, section_id, title, kind, status, position, is_preview)
       VALUES ($1, $2, $3, $4, 'Discussed', 'text', 'published', 0, true)`,
      [schoolId, lesson, courses[0], section],
    )
    for (const subject of [{ type: 'post', id: post } as const, { type: 'lesson', id: lesson, courseId: String(courses[0]) } as const]) {
      const comment = await newComment(sql, schoolId, subject, { personId })
      const text = (index: number) => ({ body: nameOf(index), body_html: `<p>${nameOf(index)}</p>` })
      await copies('comment', comment, text)
      if (subject.type === 'post')
        await copies('comment', comment, (index) => ({ ...text(index), status: 'pending', person_id: other.personId }))
    }
    pages.post = '/posts/discussed'
    pages.lesson = `/account/courses/${nameOf(0).toLowerCase()}/lessons/${toPublicId('les', lesson)}`
  })

  test('has a test for each list that a page of the account reads', () => {
    const root = 'src/pages'
    const ids = operationsIn(resources).flatMap(({ id, kind }) => (kind === 'list' ? [id] : []))
    const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.startsWith('site/'))
      .map((file) => readFileSync(join(root, file), 'utf8'))
    expect(ids.filter((id) => sources.some((source) => source.includes(`'${id}'`))).toSorted()).toEqual(Object.keys(lists).toSorted())
  })

  /** Reads the pages of a list. Returns the names in the section, or in the whole page for a public page. */
  async function shown(page: string, section: string): Promise<string[]> {
    const found: string[] = []
    let path: string | undefined = pages[page] ?? page
    for (let most = 12; path !== undefined && most > 0; most -= 1) {
      const { html, status } = await owner.get(path)
      expect([path, status, status === 200 ? '' : html]).toEqual([path, 200, ''])
      const part = html.split(/<section\b/).find((one) => one.includes(`<h2 id="${section}"`)) ?? html
      found.push(...(part.match(/Row-\d{3}/g) ?? []))
      const next: string | undefined = [...part.matchAll(/href="([^"]+)"/g)]
        .map(([, href = '']) => href.replaceAll('&amp;', '&').replaceAll('&#38;', '&'))
        .find((href) => new URL(href, `${service.issuer}${path}`).searchParams.has(section))
      path = next === undefined || next === path ? undefined : next
    }
    return found
  }

  test.each(Object.entries(lists).flatMap(([id, places]) => places.map((place) => [id, place.page, place.section])))(
    '%s on %s in %s shows every row',
    async (_id = '', page = '', section = '') => {
      const found = new Set(await shown(page, section))
      expect(names.filter((name) => !found.has(name))).toEqual([])
    },
  )

  test('is whole in the download of personal data: every invoice', async () => {
    const zip = await send(owner, await owner.get('/account/data'), {}, /data\/download$/)
    expect(zip.status).toBe(200)
    expect(names.filter((name) => !zip.html.includes(`invoices/${name}.html`))).toEqual([])
  })

  test('says that there is no such page for a place that is not in the list', async () => {
    for (const path of ['/account?courses=wrong', '/account/school/comments?others=wrong', '/account/orders?orders=wrong'])
      expect([path, (await owner.get(path)).status]).toEqual([path, 404])
  })
})
