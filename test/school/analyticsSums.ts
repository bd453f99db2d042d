/** Computes the figures of a school row by row in plain code, independently of the SQL under test. */
import type { MadeRows, Row } from './analyticsRows.ts'

/** Figures by `day key key`, without those that are zero in everything. */
export type Figures = Record<string, Record<string, number>>

const formats = new Map<string, Intl.DateTimeFormat>()
export function localDay(timeZone: string, time: Date): string {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone })
  formats.set(timeZone, format)
  return format.format(time)
}

const number = (value: unknown): number => Number(value ?? 0)
const time = (value: unknown): Date | undefined => (value === null || value === undefined ? undefined : new Date(value as Date))

/** Where an order came from: rows that were sent have text, rows that were read have the object. */
function sourceOf({ attribution }: Row): string {
  const value = (typeof attribution === 'string' ? JSON.parse(attribution) : attribution) as { source?: string } | null | undefined
  return value?.source || 'direct'
}

interface Tally {
  figures: Figures
  /** Adds to the day of a time that has come. */
  add(at: Date | undefined, keys: readonly unknown[], adds: Record<string, number>): void
}

function tallyOf(timeZone: string, now: Date): Tally {
  const figures: Figures = {}
  return {
    figures,
    add(at, keys, adds) {
      if (!at || at > now) return
      const name = [localDay(timeZone, at), ...keys].join(' ')
      const line = figures[name] ?? {}
      figures[name] = line
      for (const [measure, value] of Object.entries(adds)) line[measure] = (line[measure] ?? 0) + value
    },
  }
}

/** Removes zero values. */
export const trimmed = (figures: Figures): Figures =>
  Object.fromEntries(
    Object.entries(figures)
      .map(([name, line]) => [name, Object.fromEntries(Object.entries(line).filter(([, value]) => value !== 0))] as const)
      .filter(([, line]) => Object.keys(line).length > 0),
  )

/** Every table of sums. */
export function countRows({ timeZone, rows }: Pick<MadeRows, 'timeZone' | 'rows'>, now: Date): Record<string, Figures> {
  const of = (table: string): Row[] => rows[table] ?? []
  const tally = (): Tally => tallyOf(timeZone, now)
  const orders = new Map(of('orders').map((order) => [order.id, order]))
  const isEuro = (row: Row | undefined): boolean => row?.currency === 'EUR'

  const school = tally()
  const product = tally()
  const order = tally()
  const coupon = tally()
  const taxes = tally()
  const taxKeys = (row: Row): unknown[] => [row.tax_country ?? '', row.tax_rate_bps ?? -1]
  for (const person of of('person')) {
    if (person.is_student) school.add(time(person.created_at), [], { new_students: 1 })
    if (person.is_member) school.add(time(person.joined_at) ?? time(person.created_at), [], { new_members: 1 })
  }
  const nobody = '00000000-0000-0000-0000-000000000000'
  const linesOf = (id: unknown): Row[] =>
    of('order_item')
      .filter(({ order_id }) => order_id === id)
      .toSorted((left, right) => number(left.position) - number(right.position))
  for (const row of orders.values()) {
    const lines = linesOf(row.id)
    const products = new Set(lines.map(({ product_type, product_id }) => `${product_type} ${product_id}`))
    for (const name of [`any ${nobody}`, ...products]) {
      const keys = [name, row.status]
      order.add(time(row.placed_at), keys, { placed: 1 })
      order.add(time(row.paid_at), keys, { paid: 1 })
      if (row.status === 'failed') order.add(time(row.failed_at), keys, { failed: 1 })
      if (row.status === 'expired') order.add(time(row.expires_at) ?? time(row.updated_at), keys, { expired: 1 })
      if (row.status === 'refunded') order.add(time(row.refunded_at), keys, { refunded: 1 })
    }
    if (!isEuro(row)) continue
    const paid = time(row.paid_at)
    const gross = number(row.total_amount) + number(row.discount_amount)
    school.add(paid, [], { orders: 1, gross, discounts: number(row.discount_amount), tax: number(row.tax_amount) })
    taxes.add(paid, taxKeys(row), { gross: number(row.total_amount), tax: number(row.tax_amount) })
    if (row.coupon_id) coupon.add(paid, [row.coupon_id], { revenue: number(row.total_amount) })
    const seen = new Set<unknown>()
    const first = (name: string): number => {
      const isNew = !seen.has(name)
      seen.add(name)
      return isNew ? 1 : 0
    }
    for (const line of lines) {
      product.add(paid, [line.product_type, line.product_id, row.coupon_id ?? nobody, sourceOf(row)], {
        gross: number(line.total_amount) + number(line.discount_amount),
        discounts: number(line.discount_amount),
        tax: number(line.tax_amount),
        units: number(line.quantity),
        orders: first('order'),
        type_orders: first(`type ${line.product_type}`),
        product_orders: first(`product ${line.product_type} ${line.product_id}`),
      })
    }
  }
  for (const refund of of('refund')) {
    const row = orders.get(refund.order_id) as Row
    if (!isEuro(row)) continue
    const at = time(refund.created_at)
    school.add(at, [], { refunds: number(refund.amount), tax: -number(refund.tax_amount) })
    taxes.add(at, taxKeys(row), { refunds: number(refund.amount), refunded_tax: number(refund.tax_amount) })
    if (row.coupon_id) coupon.add(at, [row.coupon_id], { revenue: -number(refund.amount) })
    for (const part of of('refund_item').filter(({ refund_id }) => refund_id === refund.id)) {
      const line = linesOf(row.id).find(({ id }) => id === part.order_item_id) as Row
      product.add(at, [line.product_type, line.product_id, row.coupon_id ?? nobody, sourceOf(row)], {
        refunds: number(part.amount),
        tax: -number(part.tax_amount),
      })
    }
  }
  for (const redemption of of('coupon_redemption')) {
    const undone = orders.get(redemption.order_id)
    const wasUndone = redemption.status === 'released' && undone?.paid_at && undone.refunded_at
    if (redemption.status !== 'confirmed' && !wasUndone) continue
    const discount = number(redemption.amount_off)
    coupon.add(time(redemption.created_at), [redemption.coupon_id], { redemptions: 1, discount })
    if (wasUndone) coupon.add(time(undone.refunded_at), [redemption.coupon_id], { redemptions: -1, discount: -discount })
  }

  const course = tally()
  const pace = tally()
  for (const row of of('enrollment')) {
    const keys = [row.course_id, row.source]
    course.add(time(row.created_at), keys, { enrolled: 1 })
    const [expires, canceled, completed, opened] = [
      time(row.expires_at),
      time(row.canceled_at),
      time(row.completed_at),
      time(row.first_opened_at),
    ]
    const leaves = row.status === 'canceled' ? canceled : undefined
    if (leaves && (!expires || leaves <= expires)) course.add(leaves, keys, { canceled: 1 })
    else if (expires && expires <= now && row.status !== 'suspended') course.add(expires, keys, { expired: 1 })
    else if (row.status === 'expired') course.add(time(row.expired_at), keys, { expired: 1 })
    course.add(completed, keys, { completed: 1 })
    course.add(opened, keys, { started: 1, started_completed: completed ? 1 : 0, started_progress: number(row.progress_percent) })
    if (completed) {
      const begun = opened ?? (time(row.starts_at) as Date)
      const days = (Date.parse(localDay(timeZone, completed)) - Date.parse(localDay(timeZone, begun))) / 86_400_000
      pace.add(completed, [row.course_id, Math.max(0, days)], { completions: 1 })
    }
  }

  const plan = tally()
  const prices = new Map(of('plan_price').map((price) => [price.id, price]))
  for (const row of of('subscription')) {
    const started = time(row.started_at)
    if (!started || row.status === 'expired' || row.status === 'incomplete') continue
    const keys = [row.plan_id]
    const ended = time(row.ended_at)
    const paused = row.status === 'paused' ? time(row.paused_at) : undefined
    const stopped = [ended, paused].filter((one) => one !== undefined).toSorted((left, right) => +left - +right)[0]
    const trial = time(row.trial_ends_at)
    const hasTrial = trial !== undefined && trial > started
    const pays = hasTrial ? trial : started
    const price = prices.get(row.price_id) as Row
    const months = price.interval === 'year' ? 12 : 1
    const isFree = row.collection === 'comped' || price.interval === 'one_time'
    const monthly = isFree ? 0 : Math.floor((2 * number(row.amount) + months) / (2 * months))
    const wasThere = of('subscription').some((other) => {
      const end = time(other.ended_at)
      return other.id !== row.id && other.person_id === row.person_id && other.started_at && end !== undefined && end <= started
    })
    plan.add(started, keys, { [wasThere ? 'reactivated' : 'started']: 1, active_change: 1, trialing_change: hasTrial ? 1 : 0 })
    plan.add(time(row.canceled_at), keys, { canceled: 1 })
    plan.add(ended, keys, { ended: 1 })
    plan.add(stopped, keys, { active_change: -1 })
    if (hasTrial) {
      plan.add(stopped && stopped < trial ? stopped : trial, keys, { trialing_change: -1 })
      const left = ended && ended < trial ? ended : trial
      plan.add(left, keys, { trials_ended: 1, trials_converted: ended && ended <= trial ? 0 : 1 })
    }
    if (!stopped || stopped > pays) {
      plan.add(pays, keys, { mrr_change: monthly })
      plan.add(stopped, keys, { mrr_change: -monthly })
    }
  }

  const event = tally()
  const events = new Map(of('event').map((row) => [row.id, row]))
  for (const row of events.values()) if (row.status !== 'draft') event.add(time(row.published_at), [row.id], { published: 1 })
  for (const row of of('rsvp')) {
    if (row.status !== 'canceled') event.add(time(row.created_at), [row.event_id], { rsvps: 1 })
    const starts = time(events.get(row.event_id)?.starts_at)
    if (row.status === 'attended' || row.status === 'no_show') event.add(starts, [row.event_id], { [row.status]: 1 })
  }
  return {
    analytics_daily_school: school.figures,
    analytics_daily_product: product.figures,
    analytics_daily_order: order.figures,
    analytics_daily_course: course.figures,
    analytics_daily_pace: pace.figures,
    analytics_daily_plan: plan.figures,
    analytics_daily_coupon: coupon.figures,
    analytics_daily_tax: taxes.figures,
    analytics_daily_event: event.figures,
  }
}

/** The learners of each day and course. */
export function activityDays(
  { timeZone, rows }: Pick<MadeRows, 'timeZone' | 'rows'>,
  now: Date,
): { day: string; course: unknown; person: unknown }[] {
  const courseOf = new Map((rows.enrollment ?? []).map(({ id, course_id }) => [id, course_id]))
  const traces: [Row, readonly string[]][] = [
    ...(rows.lesson_progress ?? []).map((row) => [row, ['created_at', 'updated_at', 'completed_at']] as [Row, string[]]),
    ...(rows.quiz_attempt ?? []).map((row) => [{ ...row, course_id: courseOf.get(row.enrollment_id) }, ['created_at']] as [Row, string[]]),
    ...(rows.enrollment ?? [])
      .filter(({ last_activity_at }) => last_activity_at)
      .map((row) => [row, ['first_opened_at', 'last_activity_at', 'completed_at']] as [Row, string[]]),
  ]
  const found = new Map<string, { day: string; course: unknown; person: unknown }>()
  for (const [row, columns] of traces) {
    for (const column of columns) {
      const at = time(row[column])
      if (!at || at > now) continue
      const one = { day: localDay(timeZone, at), course: row.course_id, person: row.person_id }
      found.set(Object.values(one).join(' '), one)
    }
  }
  return [...found.values()]
}
