import type { ExpressionBuilder } from 'kysely'
import { toPublicId } from '../../../base/ids.ts'
import { isAmong } from '../../../database/statements/expressions.ts'
import type { DB } from '../../../gen/kysely/tables.ts'
import { dayText, dayValue, isWithin, levelled, maxGroups, numberIn, summed, summedBy, titleOfCourse } from '../figures.ts'
import { type Figures, isOwn, type Line, type Report, type ReportRequest } from '../report.ts'

const table = 'analytics_daily_course'
const happened = ['enrolled', 'canceled', 'expired'] as const
const measures = [...happened, 'open'] as const

const sumOfChanges = (line: ExpressionBuilder<DB, typeof table>) =>
  line.fn.sum(line(line('enrolled', '-', line.ref('canceled')), '-', line.ref('expired')))

function linesOf(request: ReportRequest) {
  const { course, source } = request.filters
  const lines = request.database
    .selectFrom(table)
    .where(isOwn(request, 'analytics_daily_course.course_id'))
    .$if(source !== undefined, (all) => all.where((line) => line('source', '=', line.fn.any(line.val(source)))))
  return course === undefined ? lines : lines.where('analytics_daily_course.course_id', '=', course)
}

export const enrollments: Report = {
  name: 'enrollments',
  async read(request, range) {
    const rows = await linesOf(request)
      .select(dayText(table))
      .select((line) => [...happened.map((name) => line.fn.sum(name).as(name)), sumOfChanges(line).as('open')])
      .where(isWithin(table, range))
      .groupBy('analytics_daily_course.day')
      .execute()
    const before = await linesOf(request)
      .select((line) => sumOfChanges(line).as('open'))
      .where('analytics_daily_course.day', '<', dayValue(range.from))
      .executeTakeFirst()
    return levelled(summed(rows, measures), range, { open: numberIn(before, 'open') })
  },
  async groups(request, range) {
    const by = request.filters.group_by
    if (by === undefined) return undefined
    const lines = linesOf(request)
      .where('analytics_daily_course.day', '<=', dayValue(range.to))
      .select((line) => [
        sumOfChanges(line).as('open'),
        ...happened.map((name) => line.fn.sum(name).filterWhere('analytics_daily_course.day', '>=', dayValue(range.from)).as(name)),
      ])
      .orderBy(
        (line) =>
          line.fn.coalesce(line.fn.sum('enrolled').filterWhere('analytics_daily_course.day', '>=', dayValue(range.from)), line.lit(0)),
        'desc',
      )
      .orderBy(sumOfChanges, 'desc')
      .limit(maxGroups)
    const days = () =>
      linesOf(request)
        .select(dayText(table))
        .select((line) => [...happened.map((name) => line.fn.sum(name).as(name)), sumOfChanges(line).as('open')])
        .where(isWithin(table, range))
    const levelledFrom = (changes: Figures, line: Line): Figures =>
      levelled(changes, range, { open: (line.open ?? 0) - (changes.over(range).open ?? 0) })
    const lineOf = (row: Readonly<Record<string, unknown>>) => Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))
    if (by === 'source') {
      const rows = await lines.select('source').groupBy('source').orderBy('source').execute()
      const figuresOf = summedBy(
        await days().select('source').groupBy(['analytics_daily_course.day', 'source']).execute(),
        (row) => row.source,
        measures,
      )
      return rows.map((row) => {
        const line = lineOf(row)
        return { key: row.source, title: null, line, figures: levelledFrom(figuresOf(row.source), line) }
      })
    }
    const rows = await lines
      .select(['course_id', (line) => titleOfCourse(line).as('title')])
      .groupBy(['school_id', 'course_id'])
      .orderBy('course_id')
      .execute()
    const ids = rows.map(({ course_id }) => course_id)
    const ofCourses = days().where((line) => isAmong(line.ref('analytics_daily_course.course_id'), ids))
    const figuresOf = summedBy(
      await ofCourses.select('course_id').groupBy(['analytics_daily_course.day', 'course_id']).execute(),
      ({ course_id }) => course_id,
      measures,
    )
    return rows.map((row) => {
      const line = lineOf(row)
      return { key: toPublicId('crs', row.course_id), title: row.title, line, figures: levelledFrom(figuresOf(row.course_id), line) }
    })
  },
  show: ({ enrolled, canceled, expired, open }) => ({ new: enrolled, canceled, expired, active_at_end: open }),
}
