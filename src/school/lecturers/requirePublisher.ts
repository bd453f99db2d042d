import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

/** @throws Problem access_denied for a lecturer if only staff can publish in the school */
export async function requirePublisher({ writer, caller }: { writer: SchoolWriter; caller: PersonCaller }): Promise<void> {
  if (audienceOf(caller) === 'staff') return
  const { settings } = await writer
    .selectFrom('school')
    .select('settings')
    .where('id', '=', writer.schoolId)
    .$narrowType<{ settings: { lecturer_publishing?: boolean } | null }>()
    .executeTakeFirstOrThrow()
  if (settings?.lecturer_publishing === false)
    throw new Problem('access_denied', { description: 'Lecturers cannot publish courses in this school. Ask the staff.' })
}
