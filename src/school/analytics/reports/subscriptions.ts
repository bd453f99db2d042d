import { dayText, dayValue, isWithin, levelled, numberIn, percent, summed } from '../figures.ts'
import type { Figures, Range, Report, ReportRequest } from '../report.ts'

const table = 'analytics_daily_plan'
const levels = ['active_change', 'trialing_change', 'mrr_change'] as const
const measures = ['started', 'reactivated', 'canceled', 'ended', 'trials_ended', 'trials_converted', ...levels] as const

export async function subscriptionFigures({ database, filters }: ReportRequest, range: Range): Promise<Figures> {
  const { plan } = filters
  const all = database.selectFrom(table)
  const lines = plan === undefined ? all : all.where('plan_id', '=', plan)
  const rows = await lines
    .select(dayText(table))
    .select(({ fn }) => measures.map((name) => fn.sum(name).as(name)))
    .where(isWithin(table, range))
    .groupBy('day')
    .execute()
  const before = await lines
    .select(({ fn }) => levels.map((name) => fn.sum(name).as(name)))
    .where('day', '<', dayValue(range.from))
    .executeTakeFirst()
  const changes = summed(rows, measures)
  const level = levelled(changes, range, Object.fromEntries(levels.map((name) => [name, numberIn(before, name)])))
  return {
    over: (within) => {
      const line = level.over(within)
      return { ...line, active_before: (line.active_change ?? 0) - (changes.over(within).active_change ?? 0) }
    },
  }
}

/** Reports new and ended subscriptions, and the monthly revenue of the active ones. */
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
    churn_rate_percent: percent(line.ended, ((line.active_before ?? 0) + (line.active_change ?? 0)) / 2),
    trial_conversion_percent: percent(line.trials_converted, line.trials_ended),
  }),
}
