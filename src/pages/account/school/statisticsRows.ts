import { accountOrderPath } from '../../../base/accountPaths.ts'
import type { ListedRow } from '../../../base/text/pageOfRows.ts'
import { plainText } from '../../plainText.ts'
import { money } from '../../site/valueTexts.ts'
import { contentPart, type TextPart, type Texts } from '../../texts.ts'
import type { AccountSection } from '../accountPage.ts'
import type { OwnRequest } from '../ownPage.ts'
import { type RowKind, type StatisticsQuery, statisticsPath } from './statisticsQuery.ts'

export interface BehindFigures {
  kind: RowKind
  rows: readonly { who: string; what: string; time: string | null; link?: { href: string; label: string } | undefined }[]
}

interface RowFilter {
  times: Readonly<Record<'gte' | 'lt', string>>
  course: string | undefined
}

const within = (field: string, { gte, lt }: RowFilter['times']): ListedRow => ({ [`${field}[gte]`]: gte, [`${field}[lt]`]: lt })

export async function readRows(
  { list, pageContext }: OwnRequest,
  kind: RowKind | undefined,
  filter: RowFilter,
): Promise<BehindFigures | undefined> {
  const { times, course } = filter
  if (kind === undefined) return undefined
  const { texts } = await pageContext()
  if (kind === 'orders') {
    const found = await list('behind', 'listOrders', { ...within('paid_at', times), ...(course !== undefined && { product_id: course }) })
    return {
      kind,
      rows: found.map(({ id, number, buyer, total, paid_at: time, invoice_number: invoice }) => ({
        ...{ who: buyer.name, what: money(total, texts), time },
        link: { href: accountOrderPath(id, invoice === null ? 'receipt' : 'invoice'), label: number },
      })),
    }
  }
  if (kind === 'enrollments') {
    const parameters = {
      ...within('created_at', times),
      ...(course !== undefined && { course_id: course }),
      expand: 'student,course',
    } as const
    const found = await list('behind', 'listEnrollments', parameters)
    return { kind, rows: found.map((row) => ({ who: row.student?.name ?? '', what: row.course?.title ?? '', time: row.created_at })) }
  }
  const found = await list('behind', 'listStudents', within(kind === 'new_students' ? 'created_at' : 'last_active_at', times))
  return {
    kind,
    rows: found.map(({ name, email, created_at, last_active_at: active }) => ({
      ...{ who: name, what: email, time: kind === 'new_students' ? created_at : (active ?? null) },
    })),
  }
}

export function rowsSection(texts: Texts, { kind, rows }: BehindFigures, query: StatisticsQuery): AccountSection {
  const figure = texts.text(`school.statistics_${kind === 'active_students' ? 'active_people' : kind}`)
  const heading = texts.text('school.statistics_rows', { figure })
  const cell = (text: string): TextPart[] => [contentPart(plainText(text, 160))]
  const hasLinks = rows.some(({ link }) => link)
  return {
    id: 'behind',
    heading,
    paragraphs: rows.length === 0 ? [texts.parts('school.statistics_nothing', {})] : [],
    ...(rows.length > 0 && {
      table: {
        caption: heading,
        head: [
          texts.text('school.name_label'),
          texts.text(`school.statistics_what_${kind}`),
          texts.text('school.statistics_day'),
          ...(hasLinks ? [texts.text('orders.title')] : []),
        ],
        rows: rows.map(({ who, what, time, link }) => ({
          cells: [cell(who), cell(what), cell(time === null ? '' : texts.date(new Date(time))), ...(link ? [link] : [])],
        })),
      },
    }),
    links: [{ href: statisticsPath(query), label: texts.text('school.statistics_back') }],
  }
}
