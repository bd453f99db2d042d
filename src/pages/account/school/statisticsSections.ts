import { accountPaths } from '../../../base/accountPaths.ts'
import { changeText, numberText } from '../../../base/text/readerFormats.ts'
import type { EnrollmentsReport, OverviewReport, RevenueReport, TopCourses } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import { money } from '../../site/valueTexts.ts'
import { contentPart, type TextKey, type Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import { lengths, type RowKind, rowKinds, type StatisticsQuery, statisticsPath } from './statisticsQuery.ts'

export interface Statistics {
  query: StatisticsQuery
  /** Undefined if the figures are those of one course. */
  overview: OverviewReport | undefined
  course: { id: string; title: string; revenue: RevenueReport; enrollments: EnrollmentsReport } | undefined
  courses: TopCourses['courses']
  /** True if invoices lack the address or the tax number of the school. */
  lacksDetails: boolean
}

type Money = OverviewReport['totals']['revenue_net']
type Value = number | Money

/** A figure in the whole period, in the one before, and over the period. */
interface Figure {
  name: 'revenue_net' | 'orders' | 'new_students' | 'enrollments' | 'completions' | 'active_students' | 'live_subscriptions'
  now: Value
  before: Value | undefined
  series?: readonly { date: string; value: Value }[]
}

/** Returns the figures of a period as tiles, charts of sales and enrolments, and the courses. */
export function statisticsSections(texts: Texts, statistics: Statistics): AccountSection[] {
  const figures = figuresOf(statistics)
  return [
    periodSection(texts, statistics.query),
    {
      id: 'numbers',
      heading: texts.text('school.statistics_numbers'),
      ...(statistics.lacksDetails && {
        paragraphs: [texts.parts('setup.invoices_lack', {})],
        links: [{ href: `${accountPaths.schoolSetUp}#details`, label: texts.text('setup.details') }],
      }),
      tiles: figures.map(({ name, now, before }) => ({
        label: texts.text(`school.statistics_${name}`),
        value: textOf(texts, now),
        before: before === undefined ? '' : beforeText(texts, now, before),
        href: hrefOf(statistics.query, name),
      })),
    },
    ...figures.flatMap(({ name, series }) =>
      series && (name === 'revenue_net' || name === 'enrollments') ? [chartSection(texts, name, series)] : [],
    ),
    ...coursesSection(texts, statistics),
  ]
}

const textOf = (texts: Texts, value: Value): string => (typeof value === 'number' ? numberText(value, texts.language) : money(value, texts))

const amountOf = (value: Value): number => (typeof value === 'number' ? value : value.amount)

function beforeText(texts: Texts, now: Value, before: Value): string {
  const [is, was] = [amountOf(now), amountOf(before)]
  const values = { value: textOf(texts, before) }
  return was <= 0 || is === was
    ? texts.text('school.statistics_before', values)
    : texts.text('school.statistics_before_change', { ...values, change: changeText((is - was) / was, texts.language) })
}

function hrefOf(query: StatisticsQuery, name: Figure['name']): string | undefined {
  const kind: RowKind | undefined = name === 'revenue_net' ? 'orders' : rowKinds.find((one) => one === name)
  return kind && `${statisticsPath(query, { rows: kind })}#behind`
}

function figuresOf({ overview, course }: Statistics): Figure[] {
  if (course) {
    const { revenue, enrollments } = course
    return [
      {
        ...{ name: 'revenue_net', now: revenue.totals.net, before: revenue.compare?.totals.net },
        series: revenue.series.map(({ date, net }) => ({ date, value: net })),
      },
      { name: 'orders', now: revenue.totals.orders, before: revenue.compare?.totals.orders },
      {
        ...{ name: 'enrollments', now: enrollments.totals.new, before: enrollments.compare?.totals.new },
        series: enrollments.series.map((line) => ({ date: line.date, value: line.new })),
      },
    ]
  }
  if (!overview) return []
  const { totals, compare, series } = overview
  const figure = (name: Figure['name']): Figure => ({ name, now: totals[name], before: compare?.totals[name] })
  const drawn = (name: 'revenue_net' | 'enrollments'): Figure => ({
    ...figure(name),
    series: series.map((line) => ({ date: line.date, value: line[name] })),
  })
  return [
    drawn('revenue_net'),
    figure('orders'),
    figure('new_students'),
    drawn('enrollments'),
    figure('completions'),
    figure('active_students'),
    figure('live_subscriptions'),
  ]
}

function periodSection(texts: Texts, query: StatisticsQuery): AccountSection {
  const day = (name: 'from' | 'to', key: TextKey) =>
    accountField({
      ...{ name, type: 'date', label: texts.text(key), autocomplete: 'off', value: query[name] },
      ...(name === 'from' && query.isWrong && { error: texts.text('school.statistics_wrong_days') }),
    })
  return {
    id: 'period',
    heading: texts.text('school.statistics_period'),
    choices: {
      label: texts.text('school.statistics_period'),
      items: lengths.map((days) => ({
        href: statisticsPath({ ...query, days }),
        label: texts.text('school.statistics_days', { days }),
        isCurrent: days === query.days,
      })),
    },
    details: [
      {
        summary: texts.text('school.statistics_range'),
        paragraphs: [],
        forms: [
          {
            ...{ action: accountPaths.schoolStatistics, isSearch: 'preview', submit: texts.text('school.statistics_show') },
            hidden: query.course === undefined ? [] : [{ name: 'course', value: query.course }],
            fields: [day('from', 'school.audit_from'), day('to', 'school.audit_until')],
          },
        ],
      },
    ],
  }
}

function coursesSection(texts: Texts, { courses, course, query }: Statistics): AccountSection[] {
  const heading = texts.text('school.statistics_courses')
  const whole = { href: statisticsPath({ ...query, course: undefined }), label: texts.text('school.statistics_whole') }
  if (course) return [{ id: 'courses', heading, links: [whole] }]
  if (courses.length === 0) return []
  return [
    {
      id: 'courses',
      heading,
      table: {
        caption: heading,
        head: [texts.text('site.course'), texts.text('school.statistics_enrollments')],
        rows: courses.map(({ course: { id, title }, value }) => ({
          cells: [
            { href: statisticsPath({ ...query, course: id }), label: plainText(title, 160) },
            [contentPart(numberText(value, texts.language))],
          ],
        })),
      },
    },
  ]
}

function chartSection(texts: Texts, name: 'revenue_net' | 'enrollments', series: NonNullable<Figure['series']>): AccountSection {
  const heading = texts.text(`school.statistics_${name}`)
  if (series.every(({ value }) => amountOf(value) === 0))
    return { id: name, heading, paragraphs: [texts.parts('school.statistics_nothing', {})] }
  const days = series.map(({ date, value }) => ({ value, day: texts.date(new Date(`${date}T12:00:00Z`)), text: textOf(texts, value) }))
  const highest = days.reduce((most, one) => (amountOf(one.value) > amountOf(most.value) ? one : most))
  return {
    id: name,
    heading,
    chart: {
      label: texts.text('school.statistics_chart', { chart: heading }),
      top: amountOf(highest.value) > 0 ? highest.text : '',
      dates: [...new Set([days[0], days[Math.floor(days.length / 2)], days.at(-1)])].flatMap((one) => (one ? [one.day] : [])),
      ...barsOf(
        days.map(({ day, value, text }) => ({
          value: amountOf(value),
          title: texts.text('school.statistics_value', { day, value: text }),
        })),
      ),
    },
    table: {
      ...{ caption: heading, summary: texts.text('school.statistics_table') },
      head: [texts.text('school.statistics_day'), heading],
      rows: days.toReversed().map(({ day, text }) => ({ cells: [[contentPart(day)], [contentPart(text)]] })),
    },
  }
}

/** Returns the bars of values, and the height of zero. Negative values, as of a day with refunds only, end below it. */
function barsOf(values: readonly { value: number; title: string }[]) {
  const highest = Math.max(1, ...values.map(({ value }) => value))
  const lowest = Math.min(0, ...values.map(({ value }) => value))
  const unit = 40 / (highest - lowest)
  const step = 100 / Math.max(1, values.length)
  const bars = values.map(({ value, title }, at) => ({
    x: rounded(at * step + step * 0.1),
    y: rounded((highest - Math.max(value, 0)) * unit),
    width: rounded(step * 0.8),
    height: rounded(Math.abs(value) * unit),
    title,
  }))
  return { bars, zero: rounded(highest * unit) }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
