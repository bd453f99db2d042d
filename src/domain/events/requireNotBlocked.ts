import { Problem } from '../../lib/problem.ts'
import type { Reader } from '../../store/database.ts'

/** @throws Problem access_denied if the school has blocked the person, who then gets no seat at an event */
export async function requireNotBlocked(reader: Reader, { schoolId, personId }: { schoolId: string; personId: string }): Promise<void> {
  const blocked = await reader
    .selectFrom('person')
    .select('id')
    .where('school_id', '=', schoolId)
    .where('id', '=', personId)
    .where('member_status', '=', 'blocked')
    .executeTakeFirst()
  if (blocked) throw new Problem('access_denied', { description: 'The school has blocked this person.' })
}
