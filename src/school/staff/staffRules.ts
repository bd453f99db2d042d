import type { PersonCaller } from '../../base/caller.ts'
import { uuidOf } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import { hasOtherOwner, lockOwners } from './owners.ts'

export async function checkProfile(
  { lecturer_id }: Readonly<{ lecturer_id?: string | null }>,
  { writer }: StaffChange,
): Promise<ProblemDetail[]> {
  if (typeof lecturer_id !== 'string') return []
  const taken = await writer
    .selectFrom('staff')
    .select('id')
    .where('lecturer_id', '=', uuidOf('lec', lecturer_id))
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  return taken ? [fieldError('lecturer_id', 'not_allowed', 'must name a profile without a login. Unlink its login first')] : []
}

/** @throws Problem access_denied: owners can assign every role, admins only the role of a lecturer */
export function requireRoleGiver({ role: own }: PersonCaller, ...roles: readonly string[]): void {
  if (own === 'owner' || roles.every((role) => role === 'lecturer')) return
  throw new Problem('access_denied', { description: 'Only an owner of the school can assign or remove the roles owner and admin.' })
}

/**
 * Checks that a staff row may get another role or be removed.
 * @throws Problem self_change, access_denied, last_owner
 */
export async function requireChangeable(
  change: StaffChange,
  row: { person_id: string; role: string; status: string },
  roleAfter: string | undefined,
): Promise<void> {
  const { writer, caller } = change
  if (row.person_id === caller.personId) throw new Problem('self_change')
  requireRoleGiver(caller, row.role, ...(roleAfter === undefined ? [] : [roleAfter]))
  if (row.role !== 'owner' || row.status !== 'active' || roleAfter === 'owner') return
  await lockOwners(writer)
  if (!(await hasOtherOwner(writer, { personId: row.person_id }))) throw new Problem('last_owner')
}

export interface StaffChange {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
}
