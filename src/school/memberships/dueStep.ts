import { outstandingUntil } from './subscriptionColumns.ts'
import type { SubscriptionRow } from './subscriptionRow.ts'
import { isFinal } from './subscriptionTransitions.ts'

export const firstPaymentHours = 23

/** A transition of a subscription that is due now, and the time at which it became due. */
export type DueStep =
  | { kind: 'give_up' | 'end' | 'end_unpaid' | 'resume'; at: Date }
  /** A trial or a period has ended: the next one begins once it is paid. */
  | { kind: 'renew'; at: Date }

export function dueStep(row: SubscriptionRow, now: Date): DueStep | undefined {
  if (isFinal(row.status)) return undefined
  const isDue = (at: Date | null): at is Date => at !== null && at <= now
  const end = row.current_period_end
  switch (row.status) {
    case 'incomplete': {
      const at = new Date(row.created_at.getTime() + firstPaymentHours * 3_600_000)
      return isDue(at) ? { kind: 'give_up', at } : undefined
    }
    case 'past_due': {
      if (row.cancel_at_period_end && isDue(end)) return { kind: 'end', at: end }
      const at = row.past_due_since && outstandingUntil(row.past_due_since)
      return isDue(at) ? { kind: 'end_unpaid', at } : undefined
    }
    case 'paused': {
      const [resume, cancel] = [row.resumes_at, row.cancel_at_period_end ? end : null]
      if (isDue(cancel) && !(isDue(resume) && resume < cancel)) return { kind: 'end', at: cancel }
      return isDue(resume) ? { kind: 'resume', at: resume } : undefined
    }
    default:
      if (!isDue(end)) return undefined
      return { kind: row.cancel_at_period_end ? 'end' : 'renew', at: end }
  }
}
