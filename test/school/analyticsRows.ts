/** Random rows of a school for the tests of its figures: times lie around midnights and the days on which clocks change. */
import { newId } from '../../src/base/ids.ts'
import type { Sql } from '../../src/database/connection/sql.ts'

/** A source of numbers that repeats. */
export type Dice = (below: number) => number

function diceOf(seed: number): Dice {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    let mixed = state
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below
  }
}

export type Row = Record<string, unknown>
export interface MadeRows {
  schoolId: string
  timeZone: string
  lecturers: string[]
  /** Rows by table, as they were sent. */
  rows: Record<string, Row[]>
}

const pick = <One>(dice: Dice, ones: readonly One[]): One => ones[dice(ones.length)] as One

/** Midnights in both zones, hours that come twice and hours that never come, and any other. */
function randomTime(dice: Dice): Date {
  const edges = [
    '2026-03-29T01:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-03-08T10:00:00Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T22:00:00Z',
    '2026-03-01T00:00:00Z',
  ]
  const base = dice(3) === 0 ? Date.parse('2026-02-01T00:00:00Z') + dice(90) * 86_400_000 : Date.parse(pick(dice, edges))
  const near = [0, 1, -1, 1000, -1000, 3_600_000, -3_600_000, 7 * 3_600_000, -5 * 3_600_000, 40 * 3_600_000]
  return new Date(base + pick(dice, near))
}

const later = (dice: Dice, time: Date): Date => new Date(time.getTime() + dice(40) * 21_600_000 + dice(3) * 1000)

/** Writes a school full of rows. */
export async function makeRows(
  sql: Sql,
  { seed, timeZone, size = 30 }: { seed: number; timeZone: string; size?: number },
): Promise<MadeRows> {
  const dice = diceOf(seed)
  const schoolId = newId()
  await sql.query(`INSERT INTO school (id, slug, name, locale, time_zone, currency) VALUES ($1, $2, 'Quill Harbour', 'en', $3, 'EUR')`, [
    schoolId,
    `school-${schoolId}`,
    timeZone,
  ])
  const rows: Record<string, Row[]> = {}
  const add = async (table: string, columns: Row): Promise<Row> => {
    const row = { school_id: schoolId, ...columns }
    const names = Object.keys(row)
    await sql.query(
      `INSERT INTO ${table} (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    )
    rows[table] = [...(rows[table] ?? []), row]
    return row
  }
  const times = (): { id: string; created_at: Date; updated_at: Date } => {
    const created = randomTime(dice)
    return { id: newId(), created_at: created, updated_at: later(dice, created) }
  }
  const idOf = (row: Row): string => row.id as string

  const lecturers: string[] = []
  const courses: Row[] = []
  for (let index = 0; index < 3; index += 1) {
    const lecturer = await add('lecturer', { ...times(), slug: `lecturer-${index}`, display_name: 'Marlo Quillfeather' })
    lecturers.push(idOf(lecturer))
    const course = await add('course', { ...times(), slug: `course-${index}`, title: `Course ${index}`, language: 'en' })
    courses.push(course)
    await add('course_lecturer', { course_id: idOf(course), lecturer_id: lecturers[index === 2 ? 0 : index], position: 0 })
  }
  const people: Row[] = []
  for (let index = 0; index < 12; index += 1) {
    const id = times()
    people.push(
      await add('person', {
        ...id,
        email: `${id.id}@example.test`,
        name: 'Tansy Brightwater',
        is_student: dice(4) > 0,
        is_member: dice(2) > 0,
        joined_at: dice(2) === 0 ? null : randomTime(dice),
      }),
    )
  }
  const plan = await add('membership_plan', { ...times(), slug: 'bench', name: 'Workbench' })
  const prices = [
    await add('plan_price', { ...times(), plan_id: idOf(plan), interval: 'month', interval_count: 1, amount: 1200, currency: 'EUR' }),
    await add('plan_price', { ...times(), plan_id: idOf(plan), interval: 'year', interval_count: 1, amount: 12_345, currency: 'EUR' }),
    await add('plan_price', { ...times(), plan_id: idOf(plan), interval: 'one_time', interval_count: 1, amount: 5000, currency: 'EUR' }),
  ]
  const coupon = await add('coupon', { ...times(), code: 'KILN25', discount_type: 'percent', percent_bps: 2500 })

  const enrollments: Row[] = []
  for (const person of people) {
    for (const course of courses) {
      if (dice(3) === 0) continue
      const { id, created_at, updated_at } = times()
      const status = pick(dice, ['active', 'completed', 'expired', 'suspended', 'canceled'])
      const opened = dice(4) === 0 ? null : later(dice, created_at)
      const completed = opened && (status === 'completed' || dice(4) === 0) ? later(dice, opened) : null
      const enrollment = await add('enrollment', {
        id,
        created_at,
        updated_at: completed && completed > updated_at ? completed : updated_at,
        person_id: idOf(person),
        course_id: idOf(course),
        status,
        source: pick(dice, ['self', 'manual', 'purchase']),
        starts_at: created_at,
        expires_at: status === 'expired' || dice(5) === 0 ? later(dice, created_at) : null,
        canceled_at: status === 'canceled' ? later(dice, created_at) : null,
        first_opened_at: opened,
        last_activity_at: opened ? later(dice, opened) : null,
        completed_at: completed,
        progress_percent: completed ? 100 : dice(100),
      })
      enrollments.push(enrollment)
    }
  }
  for (const [index, course] of courses.entries()) {
    const section = await add('section', { ...times(), course_id: idOf(course), title: 'Begin', position: 0 })
    const lesson = await add('lesson', {
      ...times(),
      course_id: idOf(course),
      section_id: idOf(section),
      title: `Lesson ${index}`,
      kind: 'text',
      position: 0,
    })
    for (const enrollment of enrollments.filter(({ course_id }) => course_id === course.id)) {
      if (dice(3) === 0) continue
      const { id, created_at } = times()
      const completed = dice(2) === 0 ? later(dice, created_at) : null
      await add('lesson_progress', {
        id,
        created_at,
        updated_at: completed ?? later(dice, created_at),
        enrollment_id: idOf(enrollment),
        lesson_id: idOf(lesson),
        course_id: idOf(course),
        person_id: enrollment.person_id,
        status: completed ? 'completed' : 'started',
        completed_at: completed,
      })
      if (dice(3) === 0) {
        await add('quiz_attempt', {
          ...times(),
          enrollment_id: idOf(enrollment),
          lesson_id: idOf(lesson),
          person_id: enrollment.person_id,
          attempt_no: 1,
          score_bps: 5000,
          passed: true,
          answers: '[]',
        })
      }
    }
  }
  for (let index = 0; index < size; index += 1) {
    const { id, created_at, updated_at } = times()
    const status = pick(dice, ['paid', 'paid', 'partially_refunded', 'refunded', 'failed', 'expired', 'pending'])
    const wasPaid = ['paid', 'partially_refunded', 'refunded'].includes(status)
    const lines = Array.from({ length: 1 + dice(3) }, () => {
      const gross = 100 + dice(9000)
      const discount = dice(3) === 0 ? dice(gross) : 0
      return { course: pick(dice, courses), total: gross - discount, discount, tax: dice(50), quantity: 1 + dice(2) }
    })
    const sum = (member: 'total' | 'discount' | 'tax'): number => lines.reduce((all, line) => all + line[member], 0)
    const total = sum('total')
    const refunded = status === 'refunded' ? total : status === 'partially_refunded' ? 1 + dice(total - 1) : 0
    const paid = wasPaid ? later(dice, created_at) : null
    const refundedAt = paid && refunded > 0 ? later(dice, paid) : null
    await add('orders', {
      id,
      created_at,
      updated_at: refundedAt ?? paid ?? updated_at,
      number: `2026-${String(index).padStart(6, '0')}`,
      status,
      kind: 'one_time',
      person_id: idOf(pick(dice, people)),
      buyer_name: 'Pim',
      buyer_email: 'pim@example.test',
      currency: dice(15) === 0 ? 'USD' : 'EUR',
      subtotal_amount: total,
      discount_amount: sum('discount'),
      tax_amount: sum('tax'),
      total_amount: total,
      refunded_amount: refunded,
      tax_mode: 'inclusive',
      tax_country: pick(dice, [null, 'AT', 'DE']),
      tax_rate_bps: pick(dice, [null, 1900, 2000]),
      coupon_id: dice(3) === 0 ? idOf(coupon) : null,
      attribution: dice(2) === 0 ? JSON.stringify({ source: 'letter' }) : null,
      placed_at: created_at,
      paid_at: paid,
      failed_at: status === 'failed' ? later(dice, created_at) : null,
      refunded_at: status === 'refunded' ? refundedAt : null,
      expires_at: later(dice, created_at),
    })
    const items: { id: string; left: number }[] = []
    for (const [position, line] of lines.entries()) {
      const item = times()
      items.push({ id: item.id, left: line.total })
      await add('order_item', {
        ...item,
        order_id: id,
        position,
        product_type: 'course',
        product_id: idOf(line.course),
        title: 'A course',
        quantity: line.quantity,
        currency: 'EUR',
        unit_amount: line.total,
        discount_amount: line.discount,
        tax_amount: line.tax,
        total_amount: line.total,
      })
    }
    const parts = refunded > 1 && dice(2) === 0 ? [1, refunded - 1] : refunded > 0 ? [refunded] : []
    for (const amount of parts) {
      const at = later(dice, paid as Date)
      const refund = { id: newId(), created_at: at, updated_at: at, order_id: id, amount, currency: 'EUR', reason: 'requested' }
      const taxes = items.map(() => dice(5))
      await add('refund', { ...refund, tax_amount: taxes.reduce((all, tax) => all + tax, 0) })
      let rest = amount
      for (const [position, item] of items.entries()) {
        const part = Math.min(rest, item.left)
        item.left -= part
        rest -= part
        await add('refund_item', { refund_id: refund.id, order_item_id: item.id, amount: part, tax_amount: taxes[position] as number })
      }
    }
    if (dice(4) === 0) {
      await add('coupon_redemption', {
        ...times(),
        coupon_id: idOf(coupon),
        person_id: idOf(pick(dice, people)),
        person_seq: index + 1,
        order_id: id,
        product_type: 'course',
        product_id: idOf(pick(dice, courses)),
        amount_off: dice(900),
        currency: 'EUR',
        status: pick(dice, ['confirmed', 'released', 'reserved']),
      })
    }
  }
  for (const person of people) {
    // The subscriptions follow each other, because a person cannot have a plan twice at the same time.
    let from = randomTime(dice)
    for (let round = 0; round < 2; round += 1) {
      const price = pick(dice, prices)
      const status =
        round === 0 ? 'canceled' : pick(dice, ['active', 'trialing', 'past_due', 'paused', 'incomplete', 'canceled', 'expired'])
      const trial = dice(3) === 0 ? new Date(from.getTime() + 3 * 86_400_000) : null
      const ended = status === 'canceled' ? later(dice, from) : null
      await add('subscription', {
        id: newId(),
        created_at: from,
        updated_at: ended ?? from,
        person_id: idOf(person),
        plan_id: idOf(plan),
        price_id: idOf(price),
        status,
        collection: pick(dice, ['automatic', 'manual', 'comped']),
        amount: Number(price.amount),
        currency: 'EUR',
        started_at: status === 'incomplete' ? null : from,
        trial_ends_at: trial,
        canceled_at: ended,
        ended_at: ended,
        paused_at: status === 'paused' ? later(dice, from) : null,
      })
      from = later(dice, ended ?? from)
    }
  }
  for (let index = 0; index < 4; index += 1) {
    const starts = randomTime(dice)
    const event = await add('event', {
      ...times(),
      slug: `event-${index}`,
      title: 'Dye Walk',
      kind: 'online',
      status: 'published',
      starts_at: starts,
      ends_at: later(dice, starts),
      time_zone: timeZone,
      published_at: randomTime(dice),
    })
    for (const person of people) {
      if (dice(2) === 0) continue
      await add('rsvp', {
        ...times(),
        event_id: idOf(event),
        person_id: idOf(person),
        status: pick(dice, ['going', 'waitlisted', 'canceled', 'attended', 'no_show']),
      })
    }
  }
  return { schoolId, timeZone, lecturers, rows }
}
