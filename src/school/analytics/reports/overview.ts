import { dayText, isWithin, summed } from '../figures.ts'
import type { Report } from '../report.ts'
import { activeFigures } from './activeStudents.ts'
import { subscriptionFigures } from './subscriptions.ts'

export const overview: Report = {
  name: 'overview',
  async read(request, range) {
    const { database } = request
    const school = summed(
      await database
        .selectFrom('analytics_daily_school')
        .select([dayText('analytics_daily_school'), 'orders', 'new_students', 'new_members'])
        .select((line) => line(line('gross', '-', line.ref('discounts')), '-', line.ref('refunds')).as('net'))
        .where(isWithin('analytics_daily_school', range))
        .execute(),
      ['net', 'orders', 'new_students', 'new_members'],
    )
    const courses = summed(
      await database
        .selectFrom('analytics_daily_course')
        .select([dayText('analytics_daily_course'), ({ fn }) => fn.sum('enrolled').as('enrolled')])
        .select(({ fn }) => fn.sum('completed').as('completed'))
        .where(isWithin('analytics_daily_course', range))
        .groupBy('day')
        .execute(),
      ['enrolled', 'completed'],
    )
    const active = await activeFigures({ ...request, filters: {} }, range)
    const plans = await subscriptionFigures({ ...request, filters: {} }, range)
    return { over: (days) => ({ ...school.over(days), ...courses.over(days), ...active.over(days), ...plans.over(days) }) }
  },
  show: (line, money) => ({
    revenue_net: money(line.net),
    orders: line.orders,
    new_students: line.new_students,
    new_members: line.new_members,
    enrollments: line.enrolled,
    completions: line.completed,
    active_students: line.monthly_active,
    live_subscriptions: line.active_change,
    mrr: money(line.mrr_change),
  }),
}
