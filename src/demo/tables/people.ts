import { elementAt } from '../../lib/elementAt.ts'
import { day } from '../calendar.ts'
import { tagsOf } from '../facets.ts'
import type { Activity } from '../generate/activity.ts'
import { isPaid } from '../generate/orders.ts'
import type { DemoSubscription } from '../generate/subscriptions.ts'
import { learnerRow } from '../learnerRow.ts'
import { learnerAt } from '../learners.ts'
import type { Context } from './context.ts'

/** The default grace period of schools: access continues this long after a missed payment. */
const graceDays = 7

function opensNow({ status, bills, endedAt }: DemoSubscription, now: number): boolean {
  if (status === 'past_due') return elementAt(bills, -1) > now - graceDays * day
  return status === 'trialing' || status === 'active' || (endedAt !== null && endedAt > now)
}

/** Returns the rows of learners with their counters, and their tags. */
export function peopleRows({ schoolId, now, personId }: Context, activity: Activity) {
  const counts = countsOf(activity, now)
  return {
    learners: activity.learners.map((learner) => ({ ...learnerRow(schoolId, new Date(now), learner.index), ...counts(learner.index) })),
    tags: activity.learners.flatMap((learner) =>
      tagsOf(learner.index, learnerAt(learner.index)).map((tag) => ({ school_id: schoolId, person_id: personId(learner), ...tag })),
    ),
  }
}

function countsOf({ enrollments, progress, orders, subscriptions, rsvps, comments }: Activity, now: number) {
  const enrolled = Map.groupBy(enrollments, ({ learner }) => learner.index)
  const learnt = Map.groupBy(progress, ({ enrollment }) => enrollment.learner.index)
  const bought = Map.groupBy(orders, ({ learner }) => learner.index)
  const holds = Map.groupBy(subscriptions, ({ learner }) => learner.index)
  const invited = Map.groupBy(rsvps, ({ learner }) => learner.index)
  const said = Map.groupBy(
    comments.filter(({ author, status }) => typeof author !== 'string' && status === 'published'),
    ({ author }) => (author as { index: number }).index,
  )
  return (index: number) => {
    const own = enrolled.get(index) ?? []
    const paid = (bought.get(index) ?? []).filter(isPaid)
    const open = (holds.get(index) ?? []).filter((one) => one.plan !== 'window-seat' && opensNow(one, now))
    const active = Math.max(
      0,
      ...(learnt.get(index) ?? []).map(({ at, completedAt }) => completedAt ?? at),
      ...(said.get(index) ?? []).map(({ at }) => at),
      ...(invited.get(index) ?? []).map(({ at }) => at),
    )
    return {
      tier: open.some(({ collection }) => collection !== 'comped') ? 'paid' : open.length > 0 ? 'comped' : 'free',
      enrollments_count: own.length,
      active_enrollments_count: own.filter(({ status }) => status === 'active').length,
      completed_courses_count: own.filter(({ status }) => status === 'completed').length,
      comments_count: said.get(index)?.length ?? 0,
      rsvps_count: invited.get(index)?.length ?? 0,
      lifetime_spend: paid.reduce(
        (sum, { lines, refunds }) =>
          sum + lines.reduce((total, line) => total + line.total, 0) - refunds.reduce((total, { amount }) => total + amount, 0),
        0,
      ),
      last_active_at: active === 0 ? null : new Date(active),
    }
  }
}
