import { newId } from '../../lib/ids.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'

interface Grant {
  schoolId: string
  now: Date
  personId: string
  productId: string
  source: 'purchase' | 'plan' | 'coupon' | 'manual'
  orderId?: string | null | undefined
  note?: string | null | undefined
  /** The caller notes the change itself. */
  isNoted?: true
}

/**
 * Makes a digital product a person's own. There is one row for each, whatever becomes of it: what was revoked is granted again, and its
 * downloads count from 0.
 */
export async function grantProduct(
  sql: Sql,
  { schoolId, now, personId, productId, source, orderId = null, note = null, isNoted }: Grant,
): Promise<{ grantId: string; outcome: 'made' | 'reactivated' | 'unchanged' }> {
  const [written] = await sql.query<{ id: string; version: number }>(
    `INSERT INTO product_grant (school_id, id, created_at, updated_at, product_id, person_id, source, order_id, note, granted_at)
     VALUES ($1, $2, $3, $3, $4, $5, $6, $7, $8, $3)
     ON CONFLICT (school_id, product_id, person_id) DO UPDATE SET source = excluded.source, order_id = excluded.order_id, note = excluded.note,
       granted_at = excluded.granted_at, revoked_at = NULL, downloads_count = 0, version = product_grant.version + 1, updated_at = excluded.updated_at
     WHERE product_grant.revoked_at IS NOT NULL OR (product_grant.source = 'plan' AND excluded.source <> 'plan')
     RETURNING id, version`,
    [schoolId, newId(), now, productId, personId, source, orderId, note],
  )
  if (written) {
    const outcome = written.version === 1 ? 'made' : 'reactivated'
    const action = outcome === 'made' ? 'created' : 'updated'
    if (!isNoted)
      await recordChange(sql, { school_id: schoolId, type: 'product_grant', resource_id: written.id, action, version: written.version })
    return { grantId: written.id, outcome }
  }
  const [there] = await sql.query<{ id: string }>(
    'SELECT id FROM product_grant WHERE school_id = $1 AND product_id = $2 AND person_id = $3',
    [schoolId, productId, personId],
  )
  return { grantId: (there as { id: string }).id, outcome: 'unchanged' }
}
