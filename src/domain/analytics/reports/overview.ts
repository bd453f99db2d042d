import { type DayRow, summed } from '../figures.ts'
import type { Report } from '../report.ts'
import { activeFigures } from './activeStudents.ts'
import { subscriptionFigures } from './subscriptions.ts'

/** The school at a glance. */
export const overview: Report = {
  name: 'overview',
  async read(asked, range) {
    const { sql, schoolId } = asked
    const values = [schoolId, range.from, range.to]
    const school = summed(
      await sql.query<DayRow>(
        `SELECT day::text, gross - discounts - refunds AS net, orders, new_students, new_members
           FROM analytics_daily_school WHERE school_id = $1 AND day BETWEEN $2::date AND $3::date`,
        values,
      ),
      ['net', 'orders', 'new_students', 'new_members'],
    )
    const courses = summed(
      await sql.query<DayRow>(
        `SELECT day::text, sum(enrolled) AS enrolled, sum(completed) AS completed
           FROM analytics_daily_course WHERE school_id = $1 AND day BETWEEN $2::date AND $3::date GROUP BY day`,
        values,
      ),
      ['enrolled', 'completed'],
    )
    const active = await activeFigures({ ...asked, filters: {} }, range)
    const plans = await subscriptionFigures({ ...asked, filters: {} }, range)
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
