import { expressionBuilder, sql } from 'kysely'
import type { Condition } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import type { ReportRequest } from './report.ts'

/** Returns a condition that is true for courses that the lecturer teaches, and for every course if the caller is not a lecturer. */
export function isOwn({ database, lecturer }: Pick<ReportRequest, 'database' | 'lecturer'>, course: OwnColumn): Condition {
  if (lecturer === undefined) return sql.lit(true)
  if (lecturer.id === null) return sql.lit(false)
  const taught = database
    .selectFrom('course_lecturer')
    .select('course_lecturer.course_id')
    .where('course_lecturer.lecturer_id', '=', lecturer.id)
  return expressionBuilder<DB, 'analytics_daily_active' | 'analytics_daily_course' | 'analytics_daily_pace' | 'course'>()(
    course,
    'in',
    taught,
  )
}

type OwnColumn = 'analytics_daily_active.subject_id' | 'analytics_daily_course.course_id' | 'analytics_daily_pace.course_id' | 'course.id'
