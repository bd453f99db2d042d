import type { PersonCaller, Role } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { fieldError, Problem, type ProblemDetail } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import type { RowOf, SchoolWriter } from '../../database/connection/database.ts'
import { isAmong } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { checkPlaceAndLanguage } from '../settings/schoolRules.ts'
import type { Facet } from './findOrCreatePerson.ts'

export interface PersonChange {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}

export type PersonRow = RowOf<'person', 'id' | 'version' | 'email' | 'account_id' | 'is_student' | 'is_member' | 'erased_at'>

type Values = Readonly<Record<string, unknown>>

// ZZ is the code for an unknown place.
const isCountry = (code: string): boolean => code !== 'ZZ' && countries.of(code) !== undefined
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Returns the errors in the fields of a person. */
export function checkPerson(values: Values, row?: PersonRow): ProblemDetail[] {
  const { email, country } = values
  const fieldErrors = checkPlaceAndLanguage(values)
  if (typeof country === 'string' && !isCountry(country)) {
    fieldErrors.push(fieldError('country', 'not_allowed', 'must be an ISO 3166-1 code of two letters such as DE'))
  }
  if (typeof email === 'string' && email !== row?.email) {
    if (deliverableEmail(email) === undefined) fieldErrors.push(fieldError('email', 'format', 'mail cannot be sent to this address'))
  }
  return fieldErrors
}

/**
 * Returns an error for the address of a person with a login, who changes it themselves, with a link that is sent to it: anybody else who changed
 * it could take over the login.
 */
export function checkPersonCaller({ email }: Values, _writing: object, row?: Pick<PersonRow, 'account_id'>): ProblemDetail[] {
  if (email === undefined || !row || row.account_id === null) return []
  return [fieldError('email', 'not_allowed', 'this person signs in with the address and can change it only in their own account')]
}

/** @throws Problem email_taken with the id of the person who has the address */
export async function requireFreeEmail({ writer }: PersonChange, { email }: Values, row?: PersonRow): Promise<void> {
  if (typeof email !== 'string' || email === row?.email) return
  const other = await writer.selectFrom('person').select(['id', 'is_student', 'is_member']).where('email', '=', email).executeTakeFirst()
  if (!other) return
  const prefix = other.is_student ? 'std' : other.is_member ? 'mbr' : undefined
  throw new Problem('email_taken', {
    details: [
      {
        ...fieldError('email', 'email_taken', 'another person of the school has this address'),
        ...(prefix !== undefined && { meta: { existing_id: toPublicId(prefix, other.id) } }),
      },
    ],
  })
}

/** @throws Problem invalid_state for an erased person: none of their data is stored any more */
export function requireNotErased({ erased_at }: { erased_at: Date | null }): void {
  if (erased_at !== null) throw new Problem('invalid_state', { description: 'This person was erased and cannot be changed.' })
}

/**
 * Checks that the caller may manage these people: only owners manage owners and admins.
 * @throws Problem access_denied
 */
export async function requireAuthorityOver(
  { writer, caller }: Pick<PersonChange, 'writer' | 'caller'>,
  person: string | readonly string[],
  roles: readonly Exclude<Role, 'learner'>[] = ['owner', 'admin'],
): Promise<void> {
  const others = [person].flat().filter((id) => id !== caller.personId)
  if (caller.role === 'owner' || others.length === 0) return
  const staff = await writer
    .selectFrom('staff')
    .select('id')
    .where(({ ref }) => isAmong(ref('person_id'), others))
    .where('role', 'in', [...roles])
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  if (staff)
    throw new Problem('access_denied', { description: 'Only an owner of the school can do this to a member of the staff. Ask an owner.' })
}

/** Records the change under the other facet as well, because a student and a member can be one row. */
export async function recordOtherFacet({ writer }: PersonChange, row: PersonRow, own: Facet, action: ChangeAction): Promise<void> {
  const other = own === 'student' ? 'member' : 'student'
  if (other === 'student' ? !row.is_student : !row.is_member) return
  await recordChange(writer, { type: other, resource_id: row.id, action, version: row.version })
}
