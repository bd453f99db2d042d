import { ExpressionWrapper } from 'kysely'
import type { PersonCaller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { type Builder, type Condition, daySeconds, now, secondsAgo } from '../../database/statements/expressions.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { hasSeat, isAnnounced, mayTakePart } from './eventAccess.ts'
import { shownJoinUrl, shownLocation } from './eventParts.ts'

const most = 500

const pastDays = 90

/**
 * Returns the events of a person's calendar, with the fields that the person sees: those at which the person has a seat, and the live
 * lessons of the courses in which the person is enrolled. Cancelled events are included, so that calendars remove them.
 */
export async function personalCalendar(database: SchoolReader, caller: PersonCaller) {
  const rows = await database
    .selectFrom('event')
    .select([
      'id',
      'version',
      'created_at',
      'updated_at',
      'title',
      'slug',
      'status',
      'description',
      'description_html',
      'starts_at',
      'ends_at',
    ])
    .select((event) => [
      new ExpressionWrapper<DB, 'event', unknown>(shownLocation(event, caller).toOperationNode()).as('location'),
      new ExpressionWrapper<DB, 'event', unknown>(shownJoinUrl(event, caller).toOperationNode()).as('join_url'),
    ])
    .where((event) => isAnnounced(event))
    .where('ends_at', '>', secondsAgo(daySeconds(pastDays)))
    .where((event) => event.or([hasSeat(event, caller), event.and([isLiveLesson(event, caller), mayTakePart(event, caller)])]))
    .orderBy('starts_at')
    .orderBy('id')
    .limit(most)
    .execute()
  return rows.map(({ id, created_at, updated_at, starts_at, ends_at, ...event }) => ({
    ...event,
    id: toPublicId('evt', id),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    starts_at: starts_at.toISOString(),
    ends_at: ends_at.toISOString(),
  }))
}

/** Selects events of published lessons in courses in which the person is enrolled. */
const isLiveLesson = (event: Builder<'event'>, { personId }: PersonCaller): Condition =>
  personId === null
    ? event.lit(false)
    : event.exists(
        event
          .selectFrom('lesson')
          .innerJoin('enrollment', 'enrollment.course_id', 'lesson.course_id')
          .select('lesson.id')
          .whereRef('lesson.event_id', '=', 'event.id')
          .where('lesson.status', '=', 'published')
          .where('enrollment.person_id', '=', personId)
          .where('enrollment.status', 'in', ['active', 'completed'])
          .where('enrollment.starts_at', '<=', now)
          .where((row) => row.or([row('enrollment.expires_at', 'is', null), row('enrollment.expires_at', '>', now)])),
      )
