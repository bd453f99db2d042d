import { toPublicId } from '../../lib/ids.ts'
import { Problem, type ProblemDetail } from '../../lib/problem.ts'
import type { PersonCaller, Role } from '../../policy/caller.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import { mailAddress } from '../accounts/mailAddress.ts'
import { checkPlaceAndLanguage } from '../school/schoolRules.ts'
import type { Facet } from './findOrCreatePerson.ts'

/** What a change of a person needs of its transaction. */
export interface PersonChange {
  writer: Writer
  sql: Sql
  school: { id: string }
  caller: PersonCaller
  now: Date
}

/** The columns that a rule about a person looks at. */
export interface PersonRow {
  id: string
  version: number
  email: string
  account_id: string | null
  is_student: boolean
  is_member: boolean
  erased_at: Date | null
}

type Values = Readonly<Record<string, unknown>>

// ZZ is the code of no place that is known.
const isCountry = (code: string): boolean => code !== 'ZZ' && countries.of(code) !== undefined
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
const fault = (field: string, code: string, message: string): ProblemDetail => ({ field, code, message: `${field}: ${message}` })

/**
 * What is wrong with the fields of a person together. Who can sign in changes their own address, with a link that goes there: anybody
 * else who changed it could take the login over.
 */
export function checkPerson(values: Values, row?: PersonRow): ProblemDetail[] {
  const { email, country } = values
  const fieldErrors = checkPlaceAndLanguage(values)
  if (typeof country === 'string' && !isCountry(country)) {
    fieldErrors.push(fault('country', 'not_allowed', 'must be an ISO 3166-1 code of two letters such as DE'))
  }
  if (typeof email === 'string' && email !== row?.email) {
    if (mailAddress(email) === undefined) fieldErrors.push(fault('email', 'format', 'mail cannot be sent to this address'))
    else if (row && row.account_id !== null) {
      fieldErrors.push(fault('email', 'not_allowed', 'this person signs in with it, and changes it in their own account'))
    }
  }
  return fieldErrors
}

/** @throws Problem email_taken with the id of who has the address */
export async function requireFreeEmail({ writer, school }: PersonChange, { email }: Values, row?: PersonRow): Promise<void> {
  if (typeof email !== 'string' || email === row?.email) return
  const other = await writer
    .selectFrom('person')
    .select(['id', 'is_student', 'is_member'])
    .where('school_id', '=', school.id)
    .where('email', '=', email)
    .executeTakeFirst()
  if (!other) return
  const prefix = other.is_student ? 'std' : other.is_member ? 'mbr' : undefined
  throw new Problem('email_taken', {
    details: [
      {
        ...fault('email', 'email_taken', 'the school knows somebody by this address'),
        ...(prefix !== undefined && { meta: { existing_id: toPublicId(prefix, other.id) } }),
      },
    ],
  })
}

/** @throws Problem invalid_state for who was erased: nothing of them is kept from then on */
export function requireNotErased({ erased_at }: { erased_at: Date | null }): void {
  if (erased_at !== null) throw new Problem('invalid_state', { description: 'This person was erased. There is nothing left to change.' })
}

/**
 * Whether the caller may decide about this person: about owners and admins only owners do.
 * @throws Problem access_denied
 */
export async function requireAuthorityOver(
  { writer, school, caller }: PersonChange,
  personId: string,
  roles: readonly Exclude<Role, 'learner'>[] = ['owner', 'admin'],
): Promise<void> {
  if (caller.role === 'owner' || caller.personId === personId) return
  const staff = await writer
    .selectFrom('staff')
    .select('id')
    .where('school_id', '=', school.id)
    .where('person_id', '=', personId)
    .where('role', 'in', [...roles])
    .where('status', '!=', 'removed')
    .executeTakeFirst()
  if (staff)
    throw new Problem('access_denied', { description: 'Only an owner of the school does this with somebody who works there. Ask one.' })
}

/** Who keeps a copy of the person under their other facet is told as well: both are one row. */
export async function recordOtherFacet({ sql, school }: PersonChange, row: PersonRow, own: Facet, action: ChangeAction): Promise<void> {
  const other = own === 'student' ? 'member' : 'student'
  if (other === 'student' ? !row.is_student : !row.is_member) return
  await recordChange(sql, { school_id: school.id, type: other, resource_id: row.id, action, version: row.version })
}
