import { z } from 'zod'
import { comparisons, intervals } from '../domain/analytics/period.ts'
import { reference, timestamp } from '../framework/declare/fields.ts'

/** Reports that only staff read. */
export const forStaff = { scope: 'read', roles: ['staff'] } as const

/** Reports that staff and lecturers read. */
export const forTeachers = { scope: 'read' } as const

/** The tables of a report over days. */
export const series = ['series'] as const

/** The tables of a report over days that is also divided into groups. */
export const parts = ['groups', 'series'] as const

/** How many. */
export const figure = (description: string) => z.int().meta({ description, example: 12 })

export const share = (description: string) => z.number().meta({ description: `${description} In percent, to hundredths.`, example: 12.5 })

/** An amount that may lie below zero: on a day on which more was given back than earned. */
export const amount = (description: string) =>
  z
    .object({
      amount: z
        .int()
        .meta({ description: 'In the smallest unit of the currency; below zero where more went out than came in.', example: 128_900 }),
      currency: z
        .string()
        .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
        .meta({ description: 'ISO 4217 code.', example: 'EUR' }),
    })
    .meta({ description })

const day = (description: string) => z.iso.date().meta({ description, example: '2026-03-01' })

/** The days that are asked for. */
export const periodParameters = {
  from: z.iso.date().optional().meta({ description: 'First day, in the time zone of the school. Without it: 29 days before `to`.' }),
  to: z.iso.date().optional().meta({ description: 'Last day, included; 731 days at most. Without it: today.' }),
  interval: z.enum(intervals).optional().meta({
    description: 'How long an element of the series is; weeks begin on Monday. Without it: days up to 31 of them, then weeks, then months.',
  }),
  compare: z
    .enum(comparisons)
    .optional()
    .meta({ description: 'Also the totals of as many days just before, or of the same days a year before.' }),
}

/** A parameter with the id of a row. */
export const only = (idPrefix: string, description: string) => reference(idPrefix, description).optional().meta({ description })

const freshness = {
  as_of: timestamp()
    .nullable()
    .meta({ description: 'When the figures were brought up to date; null where they never were.', example: '2026-03-31T08:05:00.000Z' }),
  complete_through: z.iso.date().nullable().meta({ description: 'The last day that is over and wholly counted.', example: '2026-03-30' }),
}
const school = {
  time_zone: z.string().meta({ description: 'Zone in which days begin.', example: 'Europe/Berlin' }),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be an ISO 4217 code such as EUR')
    .meta({ description: 'ISO 4217 code of all amounts.', example: 'EUR' }),
  ...freshness,
}

const head = (report: string) => ({
  object: z.literal('analytics.report').meta({ description: 'What this is.' }),
  report: z.literal(report).meta({ description: 'Which report.' }),
})

const range = { from: day('First day.'), to: day('Last day, included.') }

/** The answer of a report over days. With `groups`, also in parts. */
export function overDays(report: string, fields: z.ZodRawShape, groups?: string) {
  return z.object({
    ...head(report),
    ...range,
    interval: z.enum(intervals).meta({ description: 'How long an element of the series is.', example: 'day' }),
    ...school,
    totals: z.object(fields).meta({ description: 'All days together.' }),
    compare: z
      .object({ ...range, totals: z.object(fields).meta({ description: 'All of those days together.' }) })
      .nullable()
      .meta({ description: 'The days compared with, where they were asked for.', example: null }),
    series: z
      .array(
        z.object({
          date: day('The day, the Monday of the week or the first of the month. The first and the last may be cut by from and to.'),
          ...fields,
        }),
      )
      .meta({ description: 'Every interval, also those in which nothing happened.', example: [] }),
    ...(groups !== undefined && {
      groups: z
        .array(
          z.object({
            key: z.string().meta({ description: 'Id, or a word.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
            title: z.string().nullable().meta({ description: 'What it is called now.', example: 'Clay From Scratch' }),
            ...fields,
          }),
        )
        .nullable()
        .meta({ description: groups, example: null }),
    }),
  })
}

/** The answer of any other report. */
export const other = (report: string, fields: z.ZodRawShape) => z.object({ ...head(report), ...school, ...fields })
export const ranged = range
