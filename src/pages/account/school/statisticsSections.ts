import { numberText, priceText } from '../../../base/text/readerFormats.ts'
import type { OverviewReport } from '../../../school/apiRows.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'

const numbers = ['orders', 'new_students', 'enrollments', 'active_students', 'live_subscriptions'] as const

interface ShownReport {
  totals: Pick<OverviewReport['totals'], 'revenue_net' | (typeof numbers)[number]>
  series: readonly Pick<OverviewReport['series'][number], 'date' | 'revenue_net' | 'enrollments'>[]
}

/** Returns six figures of a period, two charts with their tables, and where courses are edited. */
export function statisticsSections(texts: Texts, { totals, series }: ShownReport): AccountSection[] {
  const money = ({ amount, currency }: OverviewReport['totals']['revenue_net']): string =>
    priceText({ amount, currency, interval: 'one_time', interval_count: 1 }, texts.language)
  const count = (value: number): string => numberText(value, texts.language)
  return [
    {
      id: 'numbers',
      heading: texts.text('school.statistics_numbers'),
      facts: [
        { label: texts.text('school.statistics_revenue_net'), value: [contentPart(money(totals.revenue_net))] },
        ...numbers.map((name) => ({ label: texts.text(`school.statistics_${name}`), value: [contentPart(count(totals[name]))] })),
      ],
    },
    chartSection(
      texts,
      'revenue',
      series.map(({ date, revenue_net }) => ({ date, value: revenue_net.amount, text: money(revenue_net) })),
    ),
    chartSection(
      texts,
      'enrollments',
      series.map(({ date, enrollments }) => ({ date, value: enrollments, text: count(enrollments) })),
    ),
    {
      id: 'editing',
      heading: texts.text('school.statistics_editing'),
      paragraphs: [texts.parts('school.statistics_editing_explanation', {})],
      links: [{ href: '/docs/apps', label: texts.text('school.statistics_editing_link') }],
    },
  ]
}

interface Point {
  date: string
  value: number
  text: string
}

function chartSection(texts: Texts, name: 'revenue' | 'enrollments', points: readonly Point[]): AccountSection {
  const heading = texts.text(`school.statistics_${name}_chart`)
  if (points.every(({ value }) => value === 0)) return { id: name, heading, paragraphs: [texts.parts('school.statistics_nothing', {})] }
  const days = points.map(({ date, ...point }) => ({ ...point, day: texts.date(new Date(`${date}T12:00:00Z`)) }))
  return {
    id: name,
    heading,
    chart: {
      label: texts.text('school.statistics_chart', { chart: heading }),
      bars: barsOf(days.map(({ day, value, text }) => ({ value, title: texts.text('school.statistics_value', { day, value: text }) }))),
    },
    table: {
      caption: heading,
      head: [texts.text('school.statistics_day'), heading],
      // The newest day first; days without anything are in the drawing only.
      rows: days
        .toReversed()
        .filter(({ value }) => value !== 0)
        .map(({ day, text }) => ({ cells: [[contentPart(day)], [contentPart(text)]] })),
    },
  }
}

/** Returns the bars of values. Negative values, as of a day with refunds only, end below the line of zero. */
function barsOf(values: readonly { value: number; title: string }[]) {
  const highest = Math.max(1, ...values.map(({ value }) => value))
  const lowest = Math.min(0, ...values.map(({ value }) => value))
  const unit = 40 / (highest - lowest)
  const step = 100 / Math.max(1, values.length)
  return values.map(({ value, title }, at) => ({
    x: rounded(at * step + step * 0.1),
    y: rounded((highest - Math.max(value, 0)) * unit),
    width: rounded(step * 0.8),
    height: rounded(Math.abs(value) * unit),
    title,
  }))
}

const rounded = (value: number): number => Math.round(value * 100) / 100
