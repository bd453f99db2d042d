import { newId } from '../../base/ids.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { recordChange } from '../../database/tables/changeLog.ts'

interface Grant {
  now: Date
  personId: string
  productId: string
  source: 'purchase' | 'plan' | 'coupon' | 'manual'
  orderId?: string | null | undefined
  note?: string | null | undefined
  /** True if the caller records the change. */
  isRecorded?: true
}

/**
 * Grants a digital product to a person. Each person has at most one grant of a product: a revoked one is reactivated, and its downloads
 * count from 0 again.
 */
export async function grantProduct(
  writer: SchoolWriter,
  { now, personId, productId, source, orderId = null, note = null, isRecorded }: Grant,
): Promise<{ grantId: string; outcome: 'created' | 'reactivated' | 'unchanged' }> {
  const written = await writer
    .insertInto('product_grant')
    .values({
      school_id: writer.schoolId,
      id: newId(),
      created_at: now,
      updated_at: now,
      product_id: productId,
      person_id: personId,
      source,
      order_id: orderId,
      note,
      granted_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'product_id', 'person_id'])
        .doUpdateSet((grant) => ({
          source: grant.ref('excluded.source'),
          order_id: grant.ref('excluded.order_id'),
          note: grant.ref('excluded.note'),
          granted_at: grant.ref('excluded.granted_at'),
          revoked_at: null,
          downloads_count: 0,
          version: grant('product_grant.version', '+', 1),
          updated_at: grant.ref('excluded.updated_at'),
        }))
        .where((grant) =>
          grant.or([
            grant('product_grant.revoked_at', 'is not', null),
            grant.and([grant('product_grant.source', '=', 'plan'), grant('excluded.source', '<>', 'plan')]),
          ]),
        ),
    )
    .returning(['id', 'version'])
    .executeTakeFirst()
  if (written) {
    const { id, version } = written
    const outcome = version === 1 ? 'created' : 'reactivated'
    const action = outcome === 'created' ? 'created' : 'updated'
    if (!isRecorded) await recordChange(writer, { type: 'product_grant', resource_id: id, action, version })
    return { grantId: id, outcome }
  }
  const existing = await writer
    .selectFrom('product_grant')
    .select('id')
    .where('product_id', '=', productId)
    .where('person_id', '=', personId)
    .executeTakeFirstOrThrow()
  return { grantId: existing.id, outcome: 'unchanged' }
}
