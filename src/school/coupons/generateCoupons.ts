import { randomInt } from 'node:crypto'
import type { Insertable } from 'kysely'
import { newId } from '../../base/ids.ts'
import { fieldProblem } from '../../base/problem.ts'
import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import { storedItem } from '../itemRef.ts'

/** Excludes characters that look alike: 0 and O, and 1, I and L. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

type Terms = Insertable<DB['coupon']>

export type SharedTerms = Pick<
  Terms,
  'name' | 'discount_type' | 'percent_bps' | 'amount_off' | 'currency' | 'duration' | 'duration_months'
> &
  Pick<
    Terms,
    'applies_to_all' | 'minimum_amount' | 'first_purchase_only' | 'max_redemptions_per_person' | 'starts_at' | 'ends_at' | 'note'
  > & {
    audience: object
  }

interface Batch {
  now: Date
  prefix: string
  count: number
  length: number
  terms: SharedTerms
  items: readonly { type: string; id: string }[]
}

type CreatedCoupon = Stored<'coupon', 'id' | 'code' | 'version'>

/**
 * Creates coupons with unique codes that can each be used once. The codes are random, so known codes do not reveal others.
 * @throws Problem validation_failed if too few codes of this form are left
 */
export async function generateCoupons(writer: SchoolWriter, batch: Batch): Promise<{ batchId: string; codes: string[] }> {
  const batchId = newId()
  const created: CreatedCoupon[] = []
  for (let turn = 0; turn < 5 && created.length < batch.count; turn++)
    created.push(...(await insertCoupons(writer, batch, { batchId, count: batch.count - created.length })))
  if (created.length < batch.count) {
    throw fieldProblem('validation_failed', 'random_length', 'min', 'too few unused codes of this length are left: use a larger number')
  }
  await insertItems(writer, batch, created)
  await recordChanges(writer, { type: 'coupon', action: 'created' }, created)
  return { batchId, codes: created.map(({ code }) => code) }
}

/** Creates coupons in one statement. Skips codes that already exist. */
async function insertCoupons(
  writer: SchoolWriter,
  { now, prefix, length, terms }: Batch,
  { batchId, count }: { batchId: string; count: number },
): Promise<CreatedCoupon[]> {
  const codes = [...new Set(Array.from({ length: count }, () => prefix + randomText(length)))]
  const shared = {
    school_id: writer.schoolId,
    created_at: now,
    updated_at: now,
    batch_id: batchId,
    max_redemptions: 1,
    ...terms,
    audience: JSON.stringify(terms.audience),
  }
  return await writer
    .insertInto('coupon')
    .values(codes.map((code) => ({ ...shared, id: newId(), code })))
    .onConflict((conflict) => conflict.columns(['school_id', 'code']).doNothing())
    .returning(['id', 'code', 'version'])
    .execute()
}

async function insertItems(writer: SchoolWriter, { items }: Batch, coupons: readonly CreatedCoupon[]): Promise<void> {
  const stored = items.flatMap((item) => storedItem(item) ?? [])
  await writer
    .insertInto('coupon_item')
    .columns(['school_id', 'coupon_id', 'product_type', 'product_id'])
    .expression((query) =>
      query
        .selectFrom([
          unnest('created', { id: { type: 'uuid', values: coupons.map(({ id }) => id) } }),
          query
            .selectFrom(
              unnest('listed', {
                type: { type: 'text', values: stored.map(({ type }) => type) },
                id: { type: 'uuid', values: stored.map(({ id }) => id) },
              }),
            )
            .selectAll()
            .distinct()
            .as('item'),
        ])
        .select((row) => [row.cast(row.val(writer.schoolId), 'uuid').as('school_id'), 'created.id as coupon_id', 'item.type', 'item.id']),
    )
    .execute()
}

const randomText = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
