import { z } from 'zod'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { comparisons, intervals } from './report.ts'
import { courseMetrics } from './reports/topCourses.ts'

export const forStaff = { scope: 'read', roles: ['staff'] } as const

export const forTeachers = { scope: 'read' } as const

export const series = ['series'] as const

/** The tables of a report over days that is also divided into groups. With groups, a row is an interval of a group. */
export const parts = ['groups.series', 'series'] as const

export const figure = (description: string) => z.int().meta({ description, example: 12 })

export const share = (description: string) =>
  z.number().meta({ description: `${description} In percent, with up to two decimals.`, example: 12.5 })

/** Declares an amount of money. It is negative on a day with more refunds than sales. */
export const amount = (description: string) =>
  z
    .object({
      amount: z.int().meta({ description: 'In the smallest unit of the currency; negative if refunds exceed sales.', example: 128_900 }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .meta({ description: 'ISO 4217 code.', example: 'EUR' }),
    })
    .meta({ description, component: 'SignedMoney' })

const day = (description: string) => z.iso.date().meta({ description, example: '2026-03-01' })

export const periodParameters = {
  from: z.iso.date().optional().meta({ description: 'First day, in the time zone of the school. Default: 29 days before `to`.' }),
  to: z.iso.date().optional().meta({ description: 'Last day, inclusive; the period has at most 731 days. Default: today.' }),
  interval: z.enum(intervals).meta({ component: 'ReportInterval' }).optional().meta({
    description: 'Length of an element of the series; weeks begin on Monday. Default: days for up to 31 days, then weeks, then months.',
  }),
  compare: z
    .enum(comparisons)
    .meta({ component: 'ReportComparison' })
    .optional()
    .meta({ description: 'Adds the totals of the preceding period of the same length, or of the same days one year earlier.' }),
}

/** Declares an optional parameter with the id of a row. */
export const only = (idPrefix: string, description: string) => reference(idPrefix, description).optional().meta({ description })

const freshness = {
  as_of: timestamp()
    .nullable()
    .meta({ description: 'When the figures were last updated; null if they never were.', example: '2026-03-31T08:05:00.000Z' }),
  complete_through: z.iso.date().nullable().meta({ description: 'Last day whose figures are complete.', example: '2026-03-30' }),
}
const school = {
  time_zone: z.string().meta({ description: 'Time zone of the days.', example: 'Europe/Berlin' }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .meta({ description: 'ISO 4217 code of all amounts.', example: 'EUR' }),
  ...freshness,
}

const head = (report: string) => ({
  object: z.literal('analytics.report').meta({ description: 'Type of this object.' }),
  report: z.literal(report).meta({ description: 'Name of the report.' }),
})

const range = { from: day('First day.'), to: day('Last day, inclusive.') }

/** Declares the response of a report over days. With `groups`, it also has figures by group. */
export function overDays<Fields extends z.ZodRawShape>(report: string, fields: Fields, groups?: string) {
  const seriesOf = (description: string) =>
    z
      .array(
        z.object({
          date: day('The day, the Monday of the week or the first day of the month. from and to can shorten the first and last element.'),
          ...fields,
        }),
      )
      .meta({ description, example: [] })
  return z.object({
    ...head(report),
    ...range,
    interval: z
      .enum(intervals)
      .meta({ component: 'ReportInterval' })
      .meta({ description: 'Length of an element of the series.', example: 'day' }),
    ...school,
    totals: z.object(fields).meta({ description: 'Totals of the period.' }),
    compare: z
      .object({ ...range, totals: z.object(fields).meta({ description: 'Totals of the compared period.' }) })
      .nullable()
      .meta({ description: 'The compared period; null without the parameter compare.', example: null }),
    series: seriesOf('Every interval, including those without activity.'),
    ...(groups !== undefined && {
      groups: z
        .array(
          z.object({
            key: z
              .string()
              .meta({ description: 'Id of the group, or a word such as a source.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
            title: z.string().nullable().meta({ description: 'Current name of the group.', example: 'Clay From Scratch' }),
            ...fields,
            series: seriesOf('The figures of the group in every interval.'),
          }),
        )
        .nullable()
        .meta({ description: groups, example: null }),
    }),
  })
}

export const overviewReport = overDays('overview', {
  revenue_net: amount('Sales less refunds, including taxes.'),
  orders: figure('Paid orders.'),
  new_students: figure('New students.'),
  new_members: figure('New members.'),
  enrollments: figure('New enrolments.'),
  completions: figure('Completed enrolments.'),
  active_students: figure('Distinct people with learning activity in the last 28 days of the period.'),
  live_subscriptions: figure('Running subscriptions at the end of the period.'),
  mrr: amount('Monthly recurring revenue at the end of the period.'),
})

export const other = <Fields extends z.ZodRawShape>(report: string, fields: Fields) => z.object({ ...head(report), ...school, ...fields })
export const ranged = range

export const revenueReport = overDays(
  'revenue',
  {
    gross: amount('Paid orders before discounts, including taxes.'),
    discounts: amount('Sum of the discounts.'),
    refunds: amount('Sum of the refunds.'),
    tax: amount('Taxes of the paid orders, less those of the refunds.'),
    net: amount('gross less discounts less refunds, including taxes.'),
    orders: figure('Paid orders.'),
    average_order: amount('Average amount of a paid order, before refunds.'),
  },
  'Groups by group_by, the 100 with the highest gross. The amounts of all groups add up to the totals; an order counts in every group that contains one of its lines, so that the orders of the groups can be more than those of the totals.',
)

export const enrollmentsReport = overDays(
  'enrollments',
  {
    new: figure('New enrolments.'),
    canceled: figure('Cancelled enrolments.'),
    expired: figure('Expired enrolments.'),
    active_at_end: figure('Open enrolments at the end of the period, including completed and suspended ones.'),
  },
  'Groups by group_by, the largest 100.',
)

export const topCoursesReport = other('top_courses', {
  ...ranged,
  metric: z.enum(courseMetrics).meta({ description: 'Figure by which courses are ranked.', example: 'enrollments' }),
  courses: z
    .array(
      z.object({
        rank: z.int().meta({ description: 'Rank, from 1.', example: 1 }),
        course: z
          .object({
            id: reference('crs', 'Id of the course.'),
            title: z.string().meta({ description: 'Title.', example: 'Clay From Scratch' }),
          })
          .meta({ description: 'The course.' }),
        value: z.int().meta({ description: 'Value of the figure; revenue is in the smallest unit of the currency.', example: 42 }),
        share_percent: share('Share of the total of all courses.'),
        change_percent: z
          .number()
          .nullable()
          .meta({ description: 'Change from the preceding period of equal length, in percent; null if it was 0.', example: 8.5 }),
      }),
    )
    .meta({ description: 'Courses with a value above 0, in the order of their rank.', example: [] }),
})
