import { Problem } from '../../base/problem.ts'
import type { SchoolReader } from '../../database/connection/database.ts'

/** @throws Problem access_denied if the school has blocked the person, who then gets no seat at an event */
export async function requireNotBlocked(reader: SchoolReader, { personId }: { personId: string }): Promise<void> {
  const blocked = await reader
    .selectFrom('person')
    .select('id')
    .where('id', '=', personId)
    .where('member_status', '=', 'blocked')
    .executeTakeFirst()
  if (blocked) throw new Problem('access_denied', { description: 'The school has blocked this person.' })
}
