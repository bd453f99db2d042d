import { toPublicId } from '../../../lib/ids.ts'
import { type DayRow, levelled, numberIn, summed } from '../figures.ts'
import { isOwn, ownership } from '../ownCourses.ts'
import type { Range } from '../period.ts'
import type { Asked, Report } from '../report.ts'
import { mostGroups } from '../subjects.ts'

const change = 'enrolled - canceled - expired'
const measures = ['enrolled', 'canceled', 'expired', 'open']
const which = `school_id = $1::uuid AND ($4::uuid IS NULL OR course_id = $4) AND ($5::text[] IS NULL OR source = ANY ($5)) AND ${isOwn('course_id', 6)}`
const valuesOf = ({ schoolId, filters, lecturer }: Asked, { from, to }: Range): unknown[] => [
  schoolId,
  from,
  to,
  filters.course ?? null,
  filters.source ?? null,
  ...ownership(lecturer),
]

/** Who began and who left, and how many there were in the end. */
export const enrollments: Report = {
  name: 'enrollments',
  async read(asked, range) {
    const values = valuesOf(asked, range)
    const rows = await asked.sql.query<DayRow>(
      `SELECT day::text, sum(enrolled) AS enrolled, sum(canceled) AS canceled, sum(expired) AS expired, sum(${change}) AS open
         FROM analytics_daily_course WHERE ${which} AND day BETWEEN $2::date AND $3::date GROUP BY day`,
      values,
    )
    const [before] = await asked.sql.query(
      `SELECT sum(${change}) AS open FROM analytics_daily_course WHERE ${which} AND day < $2::date AND $3::date IS NOT NULL`,
      values,
    )
    return levelled(summed(rows, measures), range, { open: numberIn(before, 'open') })
  },
  async groups(asked, range) {
    const by = asked.filters.group_by as 'course' | 'source' | undefined
    if (by === undefined) return undefined
    const key = by === 'course' ? 'course_id' : 'source'
    const rows = await asked.sql.query<Record<string, string>>(
      `SELECT parts.*, ${by === 'course' ? '(SELECT title FROM course WHERE course.school_id = $1::uuid AND course.id = course_id)' : 'NULL'} AS title
         FROM (SELECT ${key}, sum(${change}) AS open,
                      ${['enrolled', 'canceled', 'expired'].map((name) => `coalesce(sum(${name}) FILTER (WHERE day >= $2::date), 0) AS ${name}`).join(', ')}
                 FROM analytics_daily_course WHERE ${which} AND day <= $3::date
                GROUP BY ${key} ORDER BY 3 DESC, 2 DESC, 1 LIMIT ${mostGroups}) AS parts`,
      valuesOf(asked, range),
    )
    return rows.map((row) => ({
      key: by === 'course' ? toPublicId('crs', row.course_id as string) : (row.source as string),
      title: row.title ?? null,
      line: Object.fromEntries(measures.map((name) => [name, numberIn(row, name)])),
    }))
  },
  show: ({ enrolled, canceled, expired, open }) => ({ new: enrolled, canceled, expired, active_at_end: open }),
}
