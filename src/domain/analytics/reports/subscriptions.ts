import { type DayRow, levelled, numberIn, percent, summed } from '../figures.ts'
import type { Range } from '../period.ts'
import type { Asked, Figures, Report } from '../report.ts'

const levels = ['active_change', 'trialing_change', 'mrr_change']
const measures = ['started', 'reactivated', 'canceled', 'ended', 'trials_ended', 'trials_converted', ...levels]

/** Figures of subscriptions: what happened, and how many there were in the end. */
export async function subscriptionFigures({ sql, schoolId, filters }: Asked, range: Range): Promise<Figures> {
  const values = [schoolId, range.from, range.to, filters.plan ?? null]
  const rows = await sql.query<DayRow>(
    `SELECT day::text, ${measures.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM analytics_daily_plan
      WHERE school_id = $1 AND day BETWEEN $2::date AND $3::date AND ($4::uuid IS NULL OR plan_id = $4) GROUP BY day`,
    values,
  )
  const [before] = await sql.query(
    `SELECT ${levels.map((name) => `sum(${name}) AS ${name}`).join(', ')} FROM analytics_daily_plan
      WHERE school_id = $1 AND day < $2::date AND $3::date IS NOT NULL AND ($4::uuid IS NULL OR plan_id = $4)`,
    values,
  )
  const changes = summed(rows, measures)
  const level = levelled(changes, range, Object.fromEntries(levels.map((name) => [name, numberIn(before, name)])))
  return {
    over: (within) => {
      const line = level.over(within)
      return { ...line, active_before: (line.active_change ?? 0) - (changes.over(within).active_change ?? 0) }
    },
  }
}

/** Who subscribed and who left, and what a month of those who are there is worth. */
export const subscriptions: Report = {
  name: 'subscriptions',
  read: subscriptionFigures,
  show: (line, money) => ({
    new: line.started,
    reactivated: line.reactivated,
    canceled: line.canceled,
    ended: line.ended,
    active_at_end: line.active_change,
    trialing: line.trialing_change,
    mrr: money(line.mrr_change),
    churn_rate_percent: percent(line.ended, line.active_before),
    trial_conversion_percent: percent(line.trials_converted, line.trials_ended),
  }),
}
