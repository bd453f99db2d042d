import { newId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

interface AccessKey {
  personId: string
  courseId: string
  now: Date
}

/**
 * Stores that a course was granted to a person while another source opens it for longer: the grant still applies when that source ends.
 * There is one such row for a person and a course; it lasts as long as the longest grant.
 */
export async function saveFallbackAccess(writer: SchoolWriter, key: AccessKey, endsAt: Date | null): Promise<void> {
  const { personId, courseId, now } = key
  const extended = await updateFallbackAccess(writer, key)
    .set((entitlement) => ({
      ends_at:
        endsAt === null
          ? null
          : entitlement
              .case()
              .when('ends_at', 'is', null)
              .then(null)
              .else(entitlement.fn<Date>('greatest', ['ends_at', entitlement.val(endsAt)]))
              .end(),
      revoked_at: null,
    }))
    .returning('id')
    .executeTakeFirst()
  if (extended) return
  const id = newId()
  await writer
    .insertInto('entitlement')
    .values({
      school_id: writer.schoolId,
      id,
      person_id: personId,
      product_type: 'course',
      product_id: courseId,
      source_type: 'manual',
      source_id: id,
      starts_at: now,
      ends_at: endsAt,
      created_at: now,
      updated_at: now,
    })
    .execute()
}

/** Revokes the grant, so that ending the enrolment does not open it again. */
export async function revokeFallbackAccess(writer: SchoolWriter, key: AccessKey): Promise<void> {
  await updateFallbackAccess(writer, key).set({ revoked_at: key.now }).execute()
}

const updateFallbackAccess = (writer: SchoolWriter, { personId, courseId, now }: AccessKey) =>
  writer
    .updateTable('entitlement')
    .set((entitlement) => ({ version: entitlement('version', '+', 1), updated_at: now }))
    .where('person_id', '=', personId)
    .where('product_type', '=', 'course')
    .where('product_id', '=', courseId)
    .where('source_type', '=', 'manual')
    .where('revoked_at', 'is', null)
