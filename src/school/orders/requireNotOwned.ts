import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { now as databaseTime } from '../../database/statements/expressions.ts'
import { statusesWithSeat } from '../events/eventAccess.ts'
import type { StoredItem } from '../itemRef.ts'

interface Purchase {
  personId: string
  item: StoredItem
}

/** @throws Problem invalid_state if the person already has the course, the digital product or a seat of the event: a purchase would give them nothing */
export async function requireNotOwned(writer: SchoolWriter, { personId, item: { type, id } }: Purchase): Promise<void> {
  const owned =
    type === 'course'
      ? await writer
          .selectFrom('enrollment')
          .select('id')
          .where('course_id', '=', id)
          .where('person_id', '=', personId)
          .where('status', 'in', ['active', 'completed', 'suspended'])
          .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', databaseTime)]))
          .executeTakeFirst()
      : type === 'event'
        ? await writer
            .selectFrom('rsvp')
            .select('id')
            .where('event_id', '=', id)
            .where('person_id', '=', personId)
            .where('status', 'in', statusesWithSeat)
            .executeTakeFirst()
        : await writer
            .selectFrom('product_grant')
            .select('id')
            .where('product_id', '=', id)
            .where('person_id', '=', personId)
            .where('revoked_at', 'is', null)
            .executeTakeFirst()
  if (owned) throw new Problem('invalid_state', { description: `The person already has this ${type.replaceAll('_', ' ')}.` })
}
