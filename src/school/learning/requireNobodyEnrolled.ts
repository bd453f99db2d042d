import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { openStatuses } from './enrollmentStatus.ts'

interface Context {
  writer: SchoolWriter
}

/**
 * Checks that no enrolment in the course is active or completed: such a course can be archived, and not unpublished.
 * @throws Problem invalid_state
 */
export async function requireNobodyEnrolled({ writer }: Context, { id }: { id: string }): Promise<void> {
  const enrollment = await writer
    .selectFrom('enrollment')
    .select('id')
    .where('course_id', '=', id)
    .where('status', 'in', openStatuses)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', now)]))
    .limit(1)
    .executeTakeFirst()
  if (!enrollment) return
  throw new Problem('invalid_state', {
    description: 'The course has enrolled students and cannot be unpublished. Archive it: they keep their access.',
    details: [{ code: 'enrolled', message: 'The course has enrolled students.' }],
  })
}
