import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { Reading } from '../../engine/read/reading.ts'
import { productOf } from './figures.ts'
import {
  answerReport,
  createReportRequest,
  periodOf,
  type Report,
  type ReportCaller,
  type ReportFilters,
  type ReportRequest,
} from './report.ts'
import { funnel } from './reports/funnel.ts'
import { retention } from './reports/retention.ts'
import { type TaxGroup, taxGroups } from './reports/tax.ts'
import { type CourseMetric, topCourses } from './reports/topCourses.ts'

/** Returns the lecturer to whose courses the report is limited, or undefined for staff. */
const lecturerIn = ({ caller }: Reading): ReportRequest['lecturer'] =>
  audienceOf(caller) === 'staff' ? undefined : { id: caller.kind === 'person' ? caller.lecturerId : null }

const stored = { course: 'crs', coupon: 'cpn', plan: 'mpl' } as const

const reportFilters = z.object({
  course: z.string().optional(),
  source: z.array(z.string()).optional(),
  product: z.object({ type: z.string(), id: z.string() }).optional(),
  product_type: z.string().optional(),
  coupon: z.string().optional(),
  plan: z.string().optional(),
  currency: z.string().optional(),
  status: z.array(z.string()).optional(),
  group_by: z.enum(['course', 'source', 'product', 'product_type', 'coupon']).optional(),
}) satisfies z.ZodType<ReportFilters>

function filtersIn({ parameters }: Reading): ReportFilters {
  const filters: Record<string, unknown> = Object.fromEntries(parameters)
  for (const [name, prefix] of Object.entries(stored)) {
    const id = filters[`${name}_id`]
    if (id !== undefined) filters[name] = fromPublicId(prefix, String(id))
  }
  return reportFilters.parse({ ...filters, product: filters.product_id === undefined ? undefined : productOf(String(filters.product_id)) })
}

const callerIn = (reading: Reading): ReportCaller => ({
  database: reading.database,
  now: new Date(),
  lecturer: lecturerIn(reading),
})

export const readOverDays = (report: Report) => (reading: Reading) =>
  answerReport(report, callerIn(reading), { ...Object.fromEntries(reading.parameters), filters: filtersIn(reading) })

export async function readTopCourses(
  reading: Reading<{ metric: z.ZodType<CourseMetric>; limit: z.ZodType<number> }>,
): Promise<Record<string, unknown>> {
  const { request: asked, school } = await createReportRequest(callerIn(reading))
  const metric = reading.parameters.get('metric')
  const { from, to } = periodOf(Object.fromEntries(reading.parameters), asked.today)
  if (asked.lecturer && metric === 'revenue') {
    throw new Problem('access_denied', {
      description: 'Analytics: revenue is available only to staff. No scope changes that. Use another metric.',
    })
  }
  const courses = await topCourses(asked, { from, to }, { metric, limit: reading.parameters.get('limit') })
  return { object: 'analytics.report', report: 'top_courses', from, to, metric, ...school, courses }
}

export async function readFunnel(reading: Reading<{ id: z.ZodType<string> }>): Promise<Record<string, unknown>> {
  const id = fromPublicId('crs', reading.parameters.get('id'))
  if (id === undefined) throw new Problem('invalid_id', { description: 'id: must be the id of a course: crs_ and 26 characters.' })
  const { request: asked, school } = await createReportRequest(callerIn(reading))
  return { object: 'analytics.report', report: 'funnel', ...school, ...(await funnel(asked, id)) }
}

export async function readRetention(reading: Reading<{ months: z.ZodType<number>; cohort: z.ZodType }>): Promise<Record<string, unknown>> {
  const { request: asked, school } = await createReportRequest(callerIn(reading))
  const series = await retention(asked, reading.parameters.get('months'))
  return { object: 'analytics.report', report: 'retention', ...school, cohort: reading.parameters.get('cohort'), series }
}

export async function readTax(reading: Reading): Promise<Record<string, unknown>> {
  const { request: asked, school } = await createReportRequest(callerIn(reading))
  const { from, to } = periodOf(Object.fromEntries(reading.parameters), asked.today)
  const groups = await taxGroups(asked, { from, to })
  const sum = (of: (group: TaxGroup) => number): number => groups.reduce((total, group) => total + of(group), 0)
  const totals = {
    gross: sum(({ gross }) => gross),
    tax: sum(({ tax }) => tax),
    refunds: sum(({ refunds }) => refunds),
    refunded_tax: sum(({ refunded_tax }) => refunded_tax),
  }
  const shown = ({ gross, tax, refunds, refunded_tax }: typeof totals) => {
    const amounts = { gross, net: gross - tax, tax, refunded: refunds, refunded_tax, tax_due: tax - refunded_tax }
    return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, { amount, currency: school.currency }]))
  }
  const rows = groups.map((group) => ({ country: group.country, rate_bps: group.rate_bps, ...shown(group) }))
  return { object: 'analytics.report', report: 'tax', from, to, ...school, totals: shown(totals), groups: rows }
}
