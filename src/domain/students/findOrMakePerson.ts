import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { mailAddress } from '../mailAddress.ts'

/** What a person is to the school: who learns, and who belongs to its community. One person can be both. */
export type Facet = 'student' | 'member'

export interface KnownBy {
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
export async function findOrMakePerson(sql: Sql, known: KnownBy): Promise<{ personId: string; isNew: boolean }> {
  const { schoolId, facet, now } = known
  const email = mailAddress(known.email)
  if (email === undefined) throw nobodysAddress()
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
  const [changed] = await sql.query<{ id: string; version: number }>(isMember ? becomesMember : becomesStudent, [schoolId, email, now])
  if (changed) {
    await recordChange(sql, { school_id: schoolId, type: facet, resource_id: changed.id, action: 'created', version: changed.version })
    return { personId: changed.id, isNew: false }
  }
  const [there] = await sql.query<{ id: string }>('SELECT id FROM person WHERE school_id = $1 AND email = $2 AND erased_at IS NULL', [
    schoolId,
    email,
  ])
  if (!there) throw nobodysAddress()
  return { personId: there.id, isNew: false }
}

const nobodysAddress = (): Problem =>
  new Problem('validation_failed', { details: [{ field: 'email', code: 'format', message: 'email: mail cannot be sent to this address' }] })

const counted = ', updated_at = $3, version = version + 1 WHERE school_id = $1 AND email = $2 AND erased_at IS NULL '
const becomesStudent = `UPDATE person SET is_student = true ${counted} AND NOT is_student RETURNING id, version`
const becomesMember = `UPDATE person
   SET is_member = true, joined_at = coalesce(joined_at, $3), member_status = CASE member_status WHEN 'left' THEN 'active' ELSE member_status END
   ${counted} AND (NOT is_member OR member_status = 'left') RETURNING id, version`
