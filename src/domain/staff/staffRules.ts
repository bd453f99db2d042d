import { fromPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { hasOtherOwner, lockOwners } from './owners.ts'
import type { StaffChange } from './staffChange.ts'

/** One login to a profile. */
export async function checkProfile(
  { lecturer_id }: Readonly<Record<string, unknown>>,
  { writer, school }: StaffChange,
): Promise<ProblemDetail[]> {
  const field = 'lecturer_id'
  if (typeof lecturer_id !== 'string') return []
  const taken = await writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', school.id)
    .where('lecturer_id', '=', fromPublicId('lec', lecturer_id) as string)
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  return taken ? [{ field, code: 'not_allowed', message: `${field}: this profile has a login already` }] : []
}

/** @throws Problem access_denied: owners give every role, admins that of a lecturer */
export function requireRoleGiver({ role: own }: PersonCaller, ...roles: readonly string[]): void {
  if (own === 'owner' || roles.every((role) => role === 'lecturer')) return
  throw new Problem('access_denied', { description: 'Only an owner of the school makes or unmakes owners and admins. Ask one.' })
}

/**
 * Whether a staff row may get another role, or go.
 * @throws Problem self_change, access_denied, last_owner
 */
export async function requireChangeable(
  change: StaffChange,
  row: { person_id: string; role: string; status: string },
  roleAfter: string | undefined,
): Promise<void> {
  const { writer, school, caller } = change
  if (row.person_id === caller.personId) throw new Problem('self_change')
  requireRoleGiver(caller, row.role, ...(roleAfter === undefined ? [] : [roleAfter]))
  if (row.role !== 'owner' || row.status !== 'active' || roleAfter === 'owner') return
  await lockOwners(writer, school.id)
  if (!(await hasOtherOwner(writer, { schoolId: school.id, personId: row.person_id }))) throw new Problem('last_owner')
}
