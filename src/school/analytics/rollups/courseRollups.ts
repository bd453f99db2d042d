import { aliased } from '../../../database/statements/columns.ts'
import { dayOf, defineRollup } from './rollup.ts'

const row = aliased('enrollment', 'row')
const from = `${row}`

const keys = { course_id: row.course_id, source: row.source }

/** Counts of enrolments. An enrolment ends once: at the earlier of its end and its cancellation. */
export const courseRollup = defineRollup({
  table: 'analytics_daily_course',
  keys: ['course_id', 'source'],
  measures: ['enrolled', 'canceled', 'expired', 'completed', 'started', 'started_completed', 'started_progress'],
  events: [
    { from, at: row.created_at, keys, adds: { enrolled: '1' } },
    {
      from,
      at: row.canceled_at,
      where: `${row.status} = 'canceled' AND (${row.expires_at} IS NULL OR ${row.expires_at} >= ${row.canceled_at})`,
      keys,
      adds: { canceled: '1' },
    },
    {
      from,
      at: row.expires_at,
      where: `${row.status} <> 'suspended' AND (${row.status} <> 'canceled' OR ${row.canceled_at} > ${row.expires_at})`,
      keys,
      adds: { expired: '1' },
    },
    {
      // Ended by the end of its course; the enrolment has no end date.
      from,
      at: row.expired_at,
      where: `${row.status} = 'expired' AND (${row.expires_at} IS NULL OR ${row.expires_at} > $5::timestamptz)`,
      keys,
      adds: { expired: '1' },
    },
    { from, at: row.completed_at, keys, adds: { completed: '1' } },
    {
      from,
      at: row.first_opened_at,
      keys,
      adds: {
        started: '1',
        started_completed: `CASE WHEN ${row.completed_at} IS NULL THEN 0 ELSE 1 END`,
        started_progress: row.progress_percent,
      },
    },
  ],
})

/** How many days completions took, from the first opened lesson. */
export const paceRollup = defineRollup({
  table: 'analytics_daily_pace',
  keys: ['course_id', 'days'],
  measures: ['completions'],
  events: [
    {
      from,
      at: row.completed_at,
      keys: {
        course_id: row.course_id,
        days: `greatest(0, ${dayOf(row.completed_at)} - ${dayOf(`coalesce(${row.first_opened_at}, ${row.starts_at})`)})`,
      },
      adds: { completions: '1' },
    },
  ],
})
