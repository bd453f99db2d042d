import { z } from 'zod'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import { comparisons, intervals } from './report.ts'

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

export const other = (report: string, fields: z.ZodRawShape) => z.object({ ...head(report), ...school, ...fields })
export const ranged = range
