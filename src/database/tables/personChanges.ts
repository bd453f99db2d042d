import type { RowOf, SchoolReader } from '../connection/database.ts'
import type { ChangeAction } from './changeActions.ts'
import { recordChanges } from './changeLog.ts'

export type ChangedPerson = RowOf<'person', 'id' | 'version' | 'is_student' | 'is_member'>

/** The columns for `returning`. */
export const changedPerson = ['person.id', 'person.version', 'person.is_student', 'person.is_member'] as const

/** Records a change of people under each of their facets: a student and a member may be one row with one version. */
export async function recordPersonChanges(
  db: SchoolReader,
  people: readonly ChangedPerson[],
  { student = 'updated', member = 'updated' }: { student?: ChangeAction; member?: ChangeAction } = {},
): Promise<void> {
  const students = people.filter((person) => person.is_student)
  const members = people.filter((person) => person.is_member)
  await recordChanges(db, { type: 'student', action: student }, students)
  await recordChanges(db, { type: 'member', action: member }, members)
}
