import type { ExpressionBuilder } from 'kysely'
import type { DB } from '../../../gen/kysely/tables.ts'
import { toPublicId } from '../../../lib/ids.ts'
import { dayText, dayValue, isWithin, levelled, numberIn, summed } from '../figures.ts'
import { isOwn } from '../ownCourses.ts'
import type { Asked, Report } from '../report.ts'
import { mostGroups, titleOfCourse } from '../subjects.ts'

const table = 'analytics_daily_course'
const happened = ['enrolled', 'canceled', 'expired'] as const
const measures = [...happened, 'open'] as const

/** Sums the changes of the number of open enrolments. */
const sumOfChanges = (line: ExpressionBuilder<DB, typeof table>) =>
  line.fn.sum(line(line('enrolled', '-', line.ref('canceled')), '-', line.ref('expired')))

function linesOf(asked: Asked) {
  const { course, source } = asked.filters
  const lines = asked.database
    .selectFrom(table)
    .where('analytics_daily_course.school_id', '=', asked.schoolId)
    .where(isOwn(asked, 'analytics_daily_course.course_id'))
    .$if(source !== undefined, (all) => all.where((line) => line('source', '=', line.fn.any(line.val(source)))))
  return course === undefined ? lines : lines.where('analytics_daily_course.course_id', '=', course)
}

/** Reports new and ended enrolments, and the number of open ones at the end. */
export const enrollments: Report = {
  name: 'enrollments',
  async read(asked, range) {
    const rows = await linesOf(asked)
      .select(dayText(table))
      .select((line) => [...happened.map((name) => line.fn.sum(name).as(name)), sumOfChanges(line).as('open')])
      .where(isWithin(table, range))
      .groupBy('analytics_daily_course.day')
      .execute()
    const before = await linesOf(asked)
      .select((line) => sumOfChanges(line).as('open'))
      .where('analytics_daily_course.day', '<', dayValue(range.from))
      .executeTakeFirst()
    return levelled(summed(rows, measures), range, { open: numberIn(before, 'open') })
  },
  async groups(asked, range) {
    const by = asked.filters.group_by
    if (by === undefined) return undefined
    const lines = linesOf(asked)
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
      .limit(mostGroups)
    const lineOf = (row: Readonly<Record<string, unknown>>) => Object.fromEntries(measures.map((name) => [name, numberIn(row, name)]))
    if (by === 'source') {
      const rows = await lines.select('source').groupBy('source').orderBy('source').execute()
      return rows.map((row) => ({ key: row.source, title: null, line: lineOf(row) }))
    }
    const rows = await lines
      .select(['course_id', (line) => titleOfCourse(line).as('title')])
      .groupBy(['school_id', 'course_id'])
      .orderBy('course_id')
      .execute()
    return rows.map((row) => ({ key: toPublicId('crs', row.course_id), title: row.title, line: lineOf(row) }))
  },
  show: ({ enrolled, canceled, expired, open }) => ({ new: enrolled, canceled, expired, active_at_end: open }),
}
