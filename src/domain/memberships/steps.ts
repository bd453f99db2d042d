import { dayLong, nextPeriodEnd, type Period, plusMonths } from './periods.ts'
import type { SubscriptionColumns, SubscriptionRow } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'
import type { Discount } from './terms.ts'

/** How long a first payment may take. */
export const firstPaymentHours = 23
/** How long an outstanding payment is waited for. */
export const outstandingDays = 14

/** What the clock does with a subscription now, and the time at which it was due. */
export type DueStep =
  | { kind: 'give_up' | 'end' | 'end_unpaid' | 'resume'; at: Date }
  /** A trial or a period is over: the next one begins, where it is paid. */
  | { kind: 'renew'; at: Date }

/** What is due; undefined where nothing is. What comes first in time is done first. */
export function dueStep(row: SubscriptionRow, now: Date): DueStep | undefined {
  if (isFinal(row.status)) return undefined
  const due = (at: Date | null): at is Date => at !== null && at <= now
  const end = row.current_period_end
  switch (row.status) {
    case 'incomplete': {
      const at = new Date(row.created_at.getTime() + firstPaymentHours * 3_600_000)
      return due(at) ? { kind: 'give_up', at } : undefined
    }
    case 'past_due': {
      if (row.cancel_at_period_end && due(end)) return { kind: 'end', at: end }
      const at = row.past_due_since && outstandingUntil(row.past_due_since)
      return due(at) ? { kind: 'end_unpaid', at } : undefined
    }
    case 'paused': {
      const [back, over] = [row.resumes_at, row.cancel_at_period_end ? end : null]
      if (due(over) && !(due(back) && back < over)) return { kind: 'end', at: over }
      return due(back) ? { kind: 'resume', at: back } : undefined
    }
    default:
      if (!due(end)) return undefined
      return { kind: row.cancel_at_period_end ? 'end' : 'renew', at: end }
  }
}

/** It has ended, now or at a time that has come. Nothing is pending any more. */
export const ended = (row: SubscriptionRow, at: Date): SubscriptionColumns => ({
  status: 'canceled',
  canceled_at: row.canceled_at ?? at,
  ended_at: at,
  cancel_at_period_end: false,
  cancel_at: row.cancel_at ?? at,
  ...nothingPending,
  ...notPaused,
})

/** It never began. */
export const givenUp = (at: Date): SubscriptionColumns => ({ status: 'expired', ended_at: at, ...nothingPending })

/** Until when a payment that is outstanding since then is waited for. */
export const outstandingUntil = (since: Date): Date => new Date(since.getTime() + outstandingDays * dayLong)

/** A payment is outstanding since then. */
export const outstanding = (at: Date): SubscriptionColumns => ({ status: 'past_due', past_due_since: at })

/** Stands still from now on: what is left of the period is kept. */
export const pausedAt = (at: Date, resumesAt: Date | null): SubscriptionColumns => ({
  status: 'paused',
  paused_at: at,
  resumes_at: resumesAt,
})

/** Goes on where it stood still: its period ends later by as long as that was. */
export function resumedAt(row: SubscriptionRow, at: Date): SubscriptionColumns {
  const still = row.paused_at ? Math.max(0, at.getTime() - row.paused_at.getTime()) : 0
  const end = row.current_period_end && new Date(row.current_period_end.getTime() + still)
  return {
    status: 'active',
    ...notPaused,
    ...(end && { current_period_end: end, period_anchor: end }),
    ...(end && row.cancel_at_period_end && { cancel_at: end }),
  }
}

/** A paid period from then on, counted from the anchor, where there is one. */
export function periodFrom(start: Date, period: Period, anchor: Date | null): SubscriptionColumns {
  const from = anchor ?? start
  return {
    status: 'active',
    current_period_start: start,
    current_period_end: nextPeriodEnd(from, period, start),
    period_anchor: from,
    past_due_since: null,
  }
}

/** Until when a coupon takes something off: the first period, so many months, or always. */
export function discountEnd({ duration, duration_months }: Discount, start: Date, period: Period): Date | null {
  if (duration === 'forever') return null
  return duration === 'repeating' ? plusMonths(start, duration_months ?? 1) : (nextPeriodEnd(start, period, start) ?? start)
}

/** Whether the coupon of a subscription still takes something off what is paid from then on. */
export const isDiscounted = ({ coupon_id, discount_ends_at }: SubscriptionRow, from: Date): boolean =>
  coupon_id !== null && (discount_ends_at === null || discount_ends_at > from)

export const nothingPending = { pending_price_id: null, pending_effective_at: null } as const
const notPaused = { paused_at: null, resumes_at: null } as const
