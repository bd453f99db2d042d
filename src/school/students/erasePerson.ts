import { sql } from 'kysely'
import { toPublicId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { forgetRecipients } from '../../database/outbox/recipients.ts'
import { isAmong, now as transactionTime } from '../../database/statements/expressions.ts'
import { recordChange, recordChanges } from '../../database/tables/changeLog.ts'
import { forgetStoredResponses } from '../../database/tables/idempotency.ts'
import { forgetImagesOf } from '../../database/undo/records.ts'
import { discardFiles, type EndGrant, eraseAccount } from './eraseAccount.ts'
import { lockPlaces, releasePlaces } from './releasePlaces.ts'
import { scrubComments } from './scrubComments.ts'

interface PersonKey {
  personId: string
}

export interface Erasure extends PersonKey {
  now: Date
  endGrant: EndGrant
}

/** Replaces the name, and the address by one that cannot receive e-mail (RFC 2606 section 2). */
const erasedName = 'Deleted person'
const erasedEmail = (id: string): string => `deleted-${id}@deleted.invalid`

/**
 * Erases the personal data of a person: their profile, their login with all sessions and grants, and their names and addresses in orders,
 * forms, comments, stored responses and e-mails of the outbox. Frees their seats, waitlist places and places in courses. Anonymous records
 * stay, so that the totals of orders do not change. The version of the person stays. The caller has checked the permission and ended running subscriptions.
 */
export async function erasePerson(writer: SchoolWriter, { personId, now, endGrant }: Erasure): Promise<void> {
  await lockPlaces(writer, { personId })
  const person = await writer
    .selectFrom('person')
    .leftJoin('account', 'account.id', 'person.account_id')
    .select(['person.account_id', 'person.name', 'person.display_name', 'person.email', 'person.avatar_file_id'])
    .select(['account.name as account_name', 'account.email as account_email', 'account.pending_email'])
    .where('person.id', '=', personId)
    .forUpdate('person')
    .executeTakeFirst()
  if (!person) return
  const names = [person.name, person.display_name, person.account_name].filter((name) => name !== null)
  const emails = [person.email, person.account_email, person.pending_email].filter((email) => email !== null)
  const key = { schoolId: writer.schoolId, personId }
  await releasePlaces(writer, { ...key, now })
  await scrubComments(writer, { ...key, words: [...emails, ...names] })
  await eraseTraces(writer, key)
  await eraseOrders(writer, key, { emails, now })
  await eraseSubmissions(writer, key, { emails, now })
  await leaveStaff(writer, key)
  await eraseFromCoupons(writer, key)
  await writer
    .deleteFrom('mailed_link')
    .where((link) => link('email', '=', link.fn.any(link.val(emails))))
    .execute()
  await forgetRecipients(
    writer,
    writer.schoolId,
    emails.map((email) => ({ email })),
  )
  await forgetStoredResponses(writer, writer.schoolId, [...emails, ...names, toPublicId('std', personId).slice(4)])
  await forgetImagesOf(writer, personId)
  await eraseProfile(writer, key, now)
  if (person.avatar_file_id !== null) await discardFiles(writer, (file) => file('file.id', '=', person.avatar_file_id))
  if (person.account_id !== null) await eraseAccount(writer, { accountId: person.account_id, endGrant })
}

/** Increments the version of an erased person and records the deletion in the change feed. */
export async function recordErasure(writer: SchoolWriter, { personId, now }: Omit<Erasure, 'endGrant'>): Promise<void> {
  const row = await writer
    .updateTable('person')
    .set((person) => ({ updated_at: now, version: person('version', '+', 1) }))
    .where('id', '=', personId)
    .returning(['version', 'is_student', 'is_member'])
    .executeTakeFirst()
  const change = { school_id: writer.schoolId, resource_id: personId, action: 'deleted' as const, version: row?.version ?? 1 }
  if (row?.is_student) await recordChange(writer, { ...change, type: 'student' })
  if (row?.is_member) await recordChange(writer, { ...change, type: 'member' })
}

/** Erases the person's texts and keys from rows that stay. */
async function eraseTraces(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  await writer.deleteFrom('person_tag').where('person_id', '=', personId).execute()
  await writer
    .updateTable('enrollment')
    .set({ external_id: null, metadata: '{}', certificate_holder_name: null, plan_end: null })
    .where('person_id', '=', personId)
    .execute()
  await writer.updateTable('certificate').set({ holder_name: null }).where('person_id', '=', personId).execute()
  await writer
    .updateTable('quiz_attempt')
    .set(({ ref }) => ({
      answers: sql`CASE jsonb_typeof(${ref('answers')}) WHEN 'array' THEN '[]' ELSE '{}' END::jsonb`,
      results: null,
    }))
    .where('person_id', '=', personId)
    .execute()
  for (const table of ['rsvp', 'product_grant'] as const) {
    await writer.updateTable(table).set({ note: null }).where('person_id', '=', personId).execute()
  }
  await writer
    .updateTable('subscription')
    .set({ cancellation_comment: null, external_id: null, metadata: '{}' })
    .where('person_id', '=', personId)
    .execute()
  await writer.updateTable('coupon_redemption').set({ person_id: null }).where('person_id', '=', personId).execute()
}

interface ErasedContact {
  emails: readonly string[]
  now: Date
}

async function eraseOrders(writer: SchoolWriter, { personId }: PersonKey, { emails, now }: ErasedContact): Promise<void> {
  const orders = await writer
    .updateTable('orders')
    .set((order) => ({
      buyer_name: erasedName,
      buyer_email: erasedEmail(personId),
      billing_address: null,
      tax_id: null,
      attribution: null,
      payment: '{}',
      person_id: null,
      updated_at: now,
      version: order('version', '+', 1),
    }))
    .where((order) => order.or([order('person_id', '=', personId), order('buyer_email', '=', order.fn.any(order.val(emails)))]))
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'order', action: 'updated' }, orders)
}

async function eraseSubmissions(writer: SchoolWriter, { personId }: PersonKey, { emails, now }: ErasedContact): Promise<void> {
  const submissions = await writer
    .updateTable('form_submission')
    .set((submission) => ({
      answers: '{}',
      email: null,
      name: null,
      person_id: null,
      source_path: null,
      locale: null,
      consent_text: null,
      updated_at: now,
      version: submission('version', '+', 1),
    }))
    .where((submission) =>
      submission.or([submission('person_id', '=', personId), submission('email', '=', submission.fn.any(submission.val(emails)))]),
    )
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'form_submission', action: 'updated' }, submissions)
}

async function leaveStaff(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  const staff = await writer
    .updateTable('staff')
    .set((row) => ({ status: 'removed', lecturer_id: null, updated_at: transactionTime, version: row('version', '+', 1) }))
    .where('person_id', '=', personId)
    .where('status', '<>', 'removed')
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'staff', action: 'updated' }, staff)
}

/** Removes the person from the audiences of coupons, which contain stored ids or ids of the API. */
async function eraseFromCoupons(writer: SchoolWriter, { personId }: PersonKey): Promise<void> {
  const ids = sql`${sql.val([personId, toPublicId('std', personId), toPublicId('mbr', personId)])}::text[]`
  const named = writer
    .selectFrom('coupon')
    .select('id')
    .where(({ ref }) => sql<boolean>`jsonb_typeof(${ref('audience')} -> 'person_ids') = 'array'`)
    .where(({ ref }) => sql<boolean>`${ref('audience')} -> 'person_ids' ?| ${ids}`)
  // In the order in which released uses lock coupons.
  const coupons = await named.orderBy('id').forNoKeyUpdate().execute()
  if (coupons.length === 0) return
  await writer
    .updateTable('coupon')
    .set(({ ref }) => ({
      audience: sql`jsonb_set(${ref('audience')}, '{person_ids}', (${ref('audience')} -> 'person_ids') - ${ids})`,
    }))
    .where((coupon) =>
      isAmong(
        coupon.ref('coupon.id'),
        coupons.map(({ id }) => id),
      ),
    )
    .execute()
}

async function eraseProfile(writer: SchoolWriter, { personId }: PersonKey, now: Date): Promise<void> {
  await writer
    .updateTable('person')
    .set({
      account_id: null,
      name: erasedName,
      email: erasedEmail(personId),
      given_name: null,
      family_name: null,
      display_name: null,
      headline: null,
      bio: null,
      links: '[]',
      avatar_file_id: null,
      avatar_alt: null,
      locale: null,
      time_zone: null,
      country: null,
      phone: null,
      student_status: 'erased',
      member_status: 'erased',
      student_status_reason: null,
      member_status_reason: null,
      directory_visible: false,
      note: null,
      member_note: null,
      custom_fields: '{}',
      marketing_consent: null,
      external_id: null,
      metadata: '{}',
      invited_at: null,
      last_active_at: null,
      erased_at: now,
    })
    .where('id', '=', personId)
    .execute()
}
