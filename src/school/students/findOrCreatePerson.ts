import type { PersonCaller, Role } from '../../base/caller.ts'
import { newId, toPublicId } from '../../base/ids.ts'
import { fieldError, fieldProblem, Problem, type ProblemDetail } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { isAmong, isAmongTexts } from '../../database/statements/expressions.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { changedPerson, recordChange, recordPersonChanges } from '../../database/tables/changeLog.ts'

/** The roles of a person in the school: a student takes courses, a member belongs to the community. One person can be both. */
type Facet = 'student' | 'member'

export interface PersonInput {
  email: string
  /** The name of a new person. Default: the part of the address before the @. */
  name?: string | undefined
  facet: Facet
  now: Date
}

/**
 * Returns the person of the school with this address, creates one if there is none, and adds the facet. The state stays as it is:
 * a suspended or blocked person stays so. A member who has left is a member again.
 * @throws Problem validation_failed for an address to which no e-mail can be sent
 */
export async function findOrCreatePerson(writer: SchoolWriter, input: PersonInput): Promise<{ personId: string; isNew: boolean }> {
  const { facet, now } = input
  const email = deliverableEmail(input.email)
  if (email === undefined) throw undeliverableAddress()
  const name = (input.name ?? email.slice(0, email.lastIndexOf('@'))).slice(0, 120)
  const isMember = facet === 'member'
  const created = await writer
    .insertInto('person')
    .values({
      school_id: writer.schoolId,
      id: newId(),
      email,
      name,
      is_student: !isMember,
      is_member: isMember,
      joined_at: isMember ? now : null,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
    .returning('id')
    .executeTakeFirst()
  if (created) {
    await recordChange(writer, { type: facet, resource_id: created.id, action: 'created', version: 1 })
    return { personId: created.id, isNew: true }
  }
  const existing = await writer
    .selectFrom('person')
    .select('id')
    .where('email', '=', email)
    .where('erased_at', 'is', null)
    .executeTakeFirst()
  if (!existing) throw undeliverableAddress()
  await addFacet(writer, { personId: existing.id, facet, now, isJoining: true })
  return { personId: existing.id, isNew: false }
}

interface FacetInput {
  personId: string
  facet: Facet
  now: Date
  /** Makes a member who has left active again, because they act as a member or somebody does so for them. */
  isJoining?: boolean
}

/** Makes a person of the school a student or a member as well. Returns false if nothing changes. */
export async function addFacet(writer: SchoolWriter, { personId, facet, now, isJoining = false }: FacetInput): Promise<boolean> {
  const person = writer
    .updateTable('person')
    .set((row) => ({ updated_at: now, version: row('version', '+', 1) }))
    .where('id', '=', personId)
    .where('erased_at', 'is', null)
  const facetAdded =
    facet === 'student'
      ? person.set({ is_student: true }).where('is_student', '=', false)
      : person
          .set((row) => ({
            is_member: true,
            joined_at: row.fn.coalesce('joined_at', row.val(now)),
            member_status: row
              .case()
              .when(row.and([row('member_status', '=', 'left'), row.or([row('is_member', '=', false), row.lit(isJoining)])]))
              .then('active')
              .else(row.ref('member_status'))
              .end(),
          }))
          .where((row) => row.or([row('is_member', '=', false), row.and([row.lit(isJoining), row('member_status', '=', 'left')])]))
  const changed = await facetAdded.returning(changedPerson).execute()
  await recordPersonChanges(writer, changed, { [facet]: 'created' })
  return changed.length > 0
}

/** Locks the people of imported items, in the order of their ids, so that concurrent imports wait for each other without a deadlock. */
export async function lockPeople(writer: SchoolWriter, items: readonly { external_id?: unknown; email?: unknown }[]): Promise<void> {
  const texts = (values: readonly unknown[]): string[] => values.filter((value) => typeof value === 'string')
  const emails = texts(items.map(({ email }) => email)).flatMap((email) => deliverableEmail(email) ?? [])
  const externalIds = texts(items.map(({ external_id }) => external_id))
  await writer
    .selectFrom('person')
    .select('id')
    .where('erased_at', 'is', null)
    .where((person) =>
      person.or([isAmongTexts(person.ref('person.email'), emails), isAmongTexts(person.ref('person.external_id'), externalIds)]),
    )
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Finds and locks the person of an imported item: by the external id, else by the address. */
export async function findPersonByKeys(
  writer: SchoolWriter,
  { external_id, email }: { external_id?: unknown; email?: unknown },
): Promise<string | undefined> {
  const externalId = typeof external_id === 'string' ? external_id : null
  const address = typeof email === 'string' ? (deliverableEmail(email) ?? null) : null
  const found = await writer
    .selectFrom('person')
    .select('id')
    .where('erased_at', 'is', null)
    .where((person) => person.or([person('external_id', '=', externalId), person('email', '=', address)]))
    .orderBy(
      (person) => person('external_id', '=', externalId),
      (order) => order.desc().nullsLast(),
    )
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  return found?.id
}

const undeliverableAddress = (): Problem => fieldProblem('validation_failed', 'email', 'format', 'mail cannot be sent to this address')

export interface PersonChange {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}

export type PersonRow = Stored<'person', 'id' | 'version' | 'email' | 'account_id' | 'is_student' | 'is_member' | 'erased_at'>

type Values = Readonly<Record<string, unknown>>

// ZZ is the code for an unknown place.
const isCountry = (code: string): boolean => code !== 'ZZ' && countries.of(code) !== undefined
const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** Returns the errors in the fields of a person. */
export function checkPerson(values: Values, row?: PersonRow): ProblemDetail[] {
  const { email, country } = values
  const fieldErrors: ProblemDetail[] = []
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
