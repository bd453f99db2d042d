import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { removeSecondFactors } from '../../identity/factors/authenticatorApp.ts'

/**
 * Removes the second factors of the person who signs in with this address, on behalf of an owner or admin. Only the operator does it for staff,
 * because their role can need a second factor.
 * @throws Problem invalid_state if nobody else at the school signs in with the address and a second factor
 */
export async function removeFactorsFor(writer: SchoolWriter, typed: string) {
  const account = await writer
    .selectFrom('account')
    .select('account.id')
    .where('account.email', '=', typed.trim().toLowerCase())
    .where((row) =>
      row.not(
        row.exists(
          row
            .selectFrom('staff')
            .innerJoin('person', 'person.id', 'staff.person_id')
            .whereRef('person.account_id', '=', 'account.id')
            .where('staff.status', '!=', 'removed'),
        ),
      ),
    )
    .executeTakeFirst()
  const removed = account && (await removeSecondFactors(writer, { schoolId: writer.schoolId, accountId: account.id }))
  if (!removed || (removed.passkeys === 0 && !removed.hadApp))
    throw new Problem('invalid_state', { description: 'No student or member signs in with this address and a second factor.' })
  return { accountId: account.id, ...removed }
}
