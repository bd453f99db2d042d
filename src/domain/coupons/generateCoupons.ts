import { randomInt } from 'node:crypto'
import { newId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Sql } from '../../store/sql.ts'
import { storedItem } from '../itemRef.ts'

/** Nothing that could be read as something else: no 0 and O, no 1, I and L. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ'

/** What the coupons of a batch share, as columns, and what they are good for. */
interface Batch {
  schoolId: string
  now: Date
  prefix: string
  count: number
  length: number
  columns: Readonly<Record<string, unknown>>
  items: readonly { type: string; id: string }[]
}

const columns = [
  'name',
  'discount_type',
  'percent_bps',
  'amount_off',
  'currency',
  'duration',
  'duration_months',
  'applies_to_all',
  'audience',
  'minimum_amount',
  'first_purchase_only',
  'max_redemptions_per_person',
  'starts_at',
  'ends_at',
  'note',
] as const

/**
 * Makes so many coupons with codes of their own that can each be used once. The codes are random: knowing some helps to find no other.
 * @throws Problem validation_failed where so many codes of this form are not left
 */
export async function generateCoupons(sql: Sql, batch: Batch): Promise<{ batchId: string; codes: string[] }> {
  const batchId = newId()
  const made: { id: string; code: string; version: number }[] = []
  for (let turn = 0; turn < 5 && made.length < batch.count; turn++)
    made.push(...(await insertCoupons(sql, batch, batchId, batch.count - made.length)))
  if (made.length < batch.count) {
    throw new Problem('validation_failed', {
      details: [{ field: 'random_length', code: 'min', message: 'random_length: too few codes of this form are left' }],
    })
  }
  const items = batch.items.flatMap((item) => storedItem(item) ?? [])
  await sql.query(
    `INSERT INTO coupon_item (school_id, coupon_id, product_type, product_id)
     SELECT $1::uuid, c.id, i.type, i.id FROM unnest($2::uuid[]) AS c (id), (SELECT DISTINCT * FROM unnest($3::text[], $4::uuid[])) AS i (type, id)`,
    [batch.schoolId, made.map(({ id }) => id), items.map(({ type }) => type), items.map(({ id }) => id)],
  )
  await recordChanges(sql, { school_id: batch.schoolId, type: 'coupon', action: 'created' }, made)
  return { batchId, codes: made.map(({ code }) => code) }
}

/** One statement; a code that is there already makes no coupon. */
async function insertCoupons(
  sql: Sql,
  batch: Batch,
  batchId: string,
  count: number,
): Promise<{ id: string; code: string; version: number }[]> {
  const codes = [...new Set(Array.from({ length: count }, () => batch.prefix + randomText(batch.length)))]
  return await sql.query(
    `INSERT INTO coupon (school_id, id, created_at, updated_at, code, batch_id, max_redemptions, ${columns.join(', ')})
     SELECT $1::uuid, made.id, $2::timestamptz, $2::timestamptz, made.code, $3::uuid, 1, ${columns.map((name) => `terms.${name}`).join(', ')}
       FROM unnest($4::uuid[], $5::text[]) AS made (id, code), jsonb_populate_record(NULL::coupon, $6::jsonb) AS terms
     ON CONFLICT (school_id, code) DO NOTHING
     RETURNING id, code, version`,
    [batch.schoolId, batch.now, batchId, codes.map(() => newId()), codes, JSON.stringify(batch.columns)],
  )
}

const randomText = (length: number): string => Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
