import { toPublicId } from '../../lib/ids.ts'
import { recordChange, recordChanges } from '../../store/changeLog.ts'
import { listOwnGrants } from '../../store/connectedApps.ts'
import { forgetAnswers } from '../../store/idempotency.ts'
import type { Sql } from '../../store/sql.ts'
import { scrubComments } from './scrubComments.ts'

export interface Erasure {
  schoolId: string
  personId: string
  now: Date
  /** Ends a grant with every token of it. */
  endGrant(sql: Sql, schoolId: string, grantId: string): Promise<void>
}

interface Known {
  account_id: string | null
  names: string[]
  emails: string[]
}

/** What stands in place of a name, and of an address to which nothing can be sent (RFC 2606 section 2). */
const nobody = 'Deleted person'
const nowhere = (id: string): string => `deleted-${id}@deleted.invalid`

/**
 * Takes out of the school everything that says who a person was: their record, their login with all that it opened, and their traces in
 * orders, forms, comments and answers. What they did stays as numbers: orders add up as before. Counts no version. Who called decides
 * before whether it may be, and ends subscriptions that run.
 */
export async function erasePerson(sql: Sql, { schoolId, personId, now, endGrant }: Erasure): Promise<void> {
  const key = [schoolId, personId]
  const [known] = await sql.query<Known>(
    `SELECT p.account_id, array_remove(ARRAY[p.name, p.display_name, a.name], NULL) AS names,
            array_remove(ARRAY[p.email, a.email, a.pending_email], NULL) AS emails
       FROM person p LEFT JOIN account a ON a.school_id = p.school_id AND a.id = p.account_id
      WHERE p.school_id = $1 AND p.id = $2 FOR UPDATE OF p`,
    key,
  )
  if (!known) return
  await scrubComments(sql, { schoolId, personId, words: [...known.emails, ...known.names] })
  for (const statement of traces) await sql.query(statement, key)
  const orders = await sql.query<{ id: string; version: number }>(
    `UPDATE orders SET buyer_name = $3, buyer_email = $4, billing_address = NULL, tax_id = NULL, attribution = NULL, payment = '{}',
            person_id = NULL, updated_at = $6, version = version + 1
      WHERE school_id = $1 AND (person_id = $2 OR buyer_email = ANY ($5::text[])) RETURNING id, version`,
    [...key, nobody, nowhere(personId), known.emails, now],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'order', action: 'updated' }, orders)
  const submissions = await sql.query<{ id: string; version: number }>(
    `UPDATE form_submission SET answers = '{}', email = NULL, name = NULL, person_id = NULL, source_path = NULL, locale = NULL,
            updated_at = $4, version = version + 1
      WHERE school_id = $1 AND (person_id = $2 OR email = ANY ($3::text[])) RETURNING id, version`,
    [...key, known.emails, now],
  )
  await recordChanges(sql, { school_id: schoolId, type: 'form_submission', action: 'updated' }, submissions)
  const staff = await sql.query<{ id: string; version: number }>(leftStaff, key)
  await recordChanges(sql, { school_id: schoolId, type: 'staff', action: 'updated' }, staff)
  // Coupons name people as the store does, or as the API does.
  await sql.query(
    `UPDATE coupon SET audience = jsonb_set(audience, '{person_ids}', (audience -> 'person_ids') - $2::text[])
      WHERE school_id = $1 AND jsonb_typeof(audience -> 'person_ids') = 'array' AND audience -> 'person_ids' ?| $2::text[]`,
    [schoolId, [personId, toPublicId('std', personId), toPublicId('mbr', personId)]],
  )
  await sql.query('DELETE FROM mailed_link WHERE school_id = $1 AND email = ANY ($2::text[])', [schoolId, known.emails])
  await forgetAnswers(sql, schoolId, [...known.emails, ...known.names, toPublicId('std', personId).slice(4)])
  await sql.query(erasedRow, [...key, nobody, nowhere(personId), now])
  if (known.account_id !== null) await eraseAccount(sql, { schoolId, accountId: known.account_id, endGrant })
}

/** Each with the school and the person. */
const traces = [
  'DELETE FROM person_tag WHERE school_id = $1 AND person_id = $2',
  `UPDATE enrollment SET external_id = NULL, metadata = '{}' WHERE school_id = $1 AND person_id = $2`,
  `UPDATE quiz_attempt SET answers = CASE jsonb_typeof(answers) WHEN 'array' THEN '[]' ELSE '{}' END::jsonb WHERE school_id = $1 AND person_id = $2`,
  'UPDATE rsvp SET note = NULL WHERE school_id = $1 AND person_id = $2',
  'UPDATE product_grant SET note = NULL WHERE school_id = $1 AND person_id = $2',
  `UPDATE subscription SET cancellation_comment = NULL, external_id = NULL, metadata = '{}' WHERE school_id = $1 AND person_id = $2`,
  'UPDATE coupon_redemption SET person_id = NULL WHERE school_id = $1 AND person_id = $2',
  `WITH gone AS (DELETE FROM file_reference WHERE school_id = $1 AND ref_type IN ('student', 'member') AND ref_id = $2 RETURNING file_id)
   UPDATE file SET unused_since = now() FROM gone WHERE file.school_id = $1 AND file.id = gone.file_id`,
]

const leftStaff = `UPDATE staff SET status = 'removed', lecturer_id = NULL, updated_at = now(), version = version + 1
  WHERE school_id = $1 AND person_id = $2 AND status <> 'removed' RETURNING id, version`

const erasedRow = `UPDATE person
  SET account_id = NULL, name = $3, email = $4, given_name = NULL, family_name = NULL, display_name = NULL, headline = NULL, bio = NULL,
      links = '[]', avatar_file_id = NULL, avatar_alt = NULL, locale = NULL, time_zone = NULL, country = NULL, phone = NULL,
      student_status = 'erased', member_status = 'erased', student_status_reason = NULL, member_status_reason = NULL,
      directory_visible = false, note = NULL, member_note = NULL, custom_fields = '{}', marketing_consent = NULL, external_id = NULL,
      metadata = '{}', invited_at = NULL, last_active_at = NULL, erased_at = $5
  WHERE school_id = $1 AND id = $2`

/** Counts the version of an erased person, and says in the change feed that they are gone. */
export async function recordErasure(sql: Sql, { schoolId, personId, now }: Omit<Erasure, 'endGrant'>): Promise<void> {
  const [row] = await sql.query<{ version: number; is_student: boolean; is_member: boolean }>(
    `UPDATE person SET updated_at = $3, version = version + 1 WHERE school_id = $1 AND id = $2 RETURNING version, is_student, is_member`,
    [schoolId, personId, now],
  )
  const gone = { school_id: schoolId, resource_id: personId, action: 'deleted' as const, version: row?.version ?? 1 }
  if (row?.is_student) await recordChange(sql, { ...gone, type: 'student' })
  if (row?.is_member) await recordChange(sql, { ...gone, type: 'member' })
}

/** The login: sessions, grants, mailed links, and the names of files that nothing shows any more. */
export async function eraseAccount(
  sql: Sql,
  { schoolId, accountId, endGrant }: { schoolId: string; accountId: string; endGrant: Erasure['endGrant'] },
): Promise<void> {
  const key = [schoolId, accountId]
  for (const { id } of await listOwnGrants(sql, schoolId, accountId)) await endGrant(sql, schoolId, id)
  await sql.query('DELETE FROM oidc_artifact WHERE school_id = $1 AND account_id = $2', key)
  await sql.query('DELETE FROM oidc_grant WHERE school_id = $1 AND account_id = $2', key)
  await sql.query('DELETE FROM mailed_link WHERE school_id = $1 AND account_id = $2', key)
  await sql.query(
    `WITH gone AS (DELETE FROM file_reference WHERE school_id = $1 AND ref_type = 'account' AND ref_id = $2 RETURNING file_id)
     UPDATE file SET unused_since = now() FROM gone WHERE file.school_id = $1 AND file.id = gone.file_id`,
    key,
  )
  // Their bytes go with the next sweep of what nobody uses.
  await sql.query(
    `UPDATE file SET filename = 'deleted' || coalesce(substring(filename FROM '\\.[a-z0-9]{1,8}$'), ''), alt = NULL
      WHERE school_id = $1 AND uploaded_by = $2
        AND NOT EXISTS (SELECT FROM file_reference r WHERE r.school_id = file.school_id AND r.file_id = file.id)`,
    key,
  )
  await sql.query('DELETE FROM account WHERE school_id = $1 AND id = $2', key)
}
