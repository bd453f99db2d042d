import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import type { Sql } from '../../store/sql.ts'
import { mailAddress } from '../accounts/mailAddress.ts'

/** What a person is to the school: who learns, and who belongs to its community. One person can be both. */
export type Facet = 'student' | 'member'

export interface PersonInput {
  schoolId: string
  /** As it was typed. */
  email: string
  /** Of a new person. Without it: what stands before the @. */
  name?: string | undefined
  facet: Facet
  now: Date
}

/**
 * The person of the school with this address, made where there is none; from now on they have the facet. What they are already stays:
 * who is suspended or blocked is so still, and who left as a member is one again.
 * @throws Problem validation_failed for an address that mail cannot be sent to
 */
export async function findOrCreatePerson(sql: Sql, known: PersonInput): Promise<{ personId: string; isNew: boolean }> {
  const { schoolId, facet, now } = known
  const email = mailAddress(known.email)
  if (email === undefined) throw undeliverableAddress()
  const name = (known.name ?? email.slice(0, email.lastIndexOf('@'))).slice(0, 120)
  const isMember = facet === 'member'
  const [made] = await sql.query<{ id: string }>(
    `INSERT INTO person (school_id, id, email, name, is_student, is_member, joined_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, NOT $5::boolean, $5::boolean, CASE WHEN $5::boolean THEN $6::timestamptz END, $6, $6)
     ON CONFLICT (school_id, email) DO NOTHING RETURNING id`,
    [schoolId, newId(), email, name, isMember, now],
  )
  if (made) {
    await recordChange(sql, { school_id: schoolId, type: facet, resource_id: made.id, action: 'created', version: 1 })
    return { personId: made.id, isNew: true }
  }
  const [there] = await sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND email = $2 AND erased_at IS NULL', [
    schoolId,
    email,
  ])
  if (!there) throw undeliverableAddress()
  await addFacet(sql, { schoolId, personId: there.id, facet, now, isJoining: true })
  return { personId: there.id, isNew: false }
}

interface FacetInput {
  schoolId: string
  personId: string
  facet: Facet
  now: Date
  /** Who left is a member again: they, or somebody in their name, do something that members do. */
  isJoining?: boolean
}

/** Makes a person of the school a student or a member as well. Answers whether that is new. */
export async function addFacet(sql: Sql, { schoolId, personId, facet, now, isJoining = false }: FacetInput): Promise<boolean> {
  const changed = await sql.query<ChangedPerson>(
    facet === 'student' ? becomesStudent : becomesMember,
    facet === 'student' ? [schoolId, personId, now] : [schoolId, personId, now, isJoining],
  )
  await recordPersonChanges(sql, schoolId, changed, { [facet]: 'created' })
  return changed.length > 0
}

const becomesStudent = `UPDATE person SET is_student = true, updated_at = $3, version = version + 1
 WHERE school_id = $1 AND id = $2 AND erased_at IS NULL AND NOT is_student RETURNING ${changedPersonColumns}`
const becomesMember = `UPDATE person
    SET is_member = true, joined_at = coalesce(joined_at, $3), updated_at = $3, version = version + 1,
        member_status = CASE WHEN member_status = 'left' AND (NOT is_member OR $4::boolean) THEN 'active' ELSE member_status END
  WHERE school_id = $1 AND id = $2 AND erased_at IS NULL AND (NOT is_member OR ($4::boolean AND member_status = 'left')) RETURNING ${changedPersonColumns}`

/** The person whom an importer means: by the key of the other system, else by the address. Undefined where there is none. */
export async function findPersonByKeys(sql: Sql, schoolId: string, item: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  const { external_id, email } = item
  const [found] = await sql.query<{ id: string }>(
    `SELECT id FROM person WHERE school_id = $1 AND erased_at IS NULL AND (external_id = $2 OR email = $3)
      ORDER BY external_id = $2 DESC NULLS LAST LIMIT 1 FOR UPDATE`,
    [schoolId, typeof external_id === 'string' ? external_id : null, typeof email === 'string' ? (mailAddress(email) ?? null) : null],
  )
  return found?.id
}

const undeliverableAddress = (): Problem =>
  new Problem('validation_failed', { details: [{ field: 'email', code: 'format', message: 'email: mail cannot be sent to this address' }] })
