import type { Skill } from '../skill.ts'

const money = { amount: '…', currency: '…' }

export const readTheFigures: Skill = {
  name: 'read-the-figures',
  title: 'Read the figures',
  description: 'Read revenue, enrolments, active students, top courses and where learners stop, and export them as CSV.',
  steps: [
    {
      about:
        'Read the overview of a period, by `day`, `week` or `month`. Figures of days after `complete_through` still change. Amounts of money are in the smallest unit of the currency.',
      operation: 'analyticsOverview',
      query: 'from=$LAST_YEAR-01-01&to=$LAST_YEAR-03-31&interval=month',
      sample: {
        report: 'overview',
        complete_through: '…',
        totals: { revenue_net: money, orders: '…', enrollments: '…', active_students: '…' },
        series: [{ date: '$LAST_YEAR-01-01', orders: '…' }],
      },
    },
    {
      about: 'Export a report as CSV.',
      operation: 'analyticsRevenue',
      query: 'from=$LAST_YEAR-01-01&to=$LAST_YEAR-03-31&interval=month',
      accept: 'text/csv',
    },
    {
      about: 'Rank the courses, by default by enrolments in the last 30 days.',
      operation: 'analyticsTopCourses',
      sample: { report: 'top_courses', metric: 'enrollments', courses: [{ rank: 1, course: { id: 'crs_…', title: '…' }, value: '…' }] },
      keep: { COURSE: 'courses[0].course.id' },
    },
    {
      about: 'See at which lesson of a course learners stop.',
      operation: 'analyticsFunnel',
      path: { id: '$COURSE' },
      sample: {
        report: 'funnel',
        course: { id: '$COURSE' },
        lessons: [{ title: '…', opened: '…', completed: '…', drop_off_percent: '…' }],
      },
    },
  ],
}
