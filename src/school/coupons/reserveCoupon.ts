import { newId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { type Builder, type Condition, countedBy, now as databaseTime } from '../../database/statements/expressions.ts'
import { unnest } from '../../database/statements/unnest.ts'
import { recordChange, recordChanges } from '../../database/tables/changeLog.ts'

interface CouponUse {
  now: Date
  couponId: string
  personId: string
  orderId: string
  item: { type: string; id: string }
  amountOff: number
  currency: string
  status: 'reserved' | 'confirmed'
}

/** Matches coupons that can be used now. The database's clock decides, not a stored state. */
const isUsable = (coupon: Builder<'coupon'>): Condition =>
  coupon.and([
    coupon('coupon.paused_at', 'is', null),
    coupon('coupon.archived_at', 'is', null),
    coupon.or([coupon('coupon.starts_at', 'is', null), coupon('coupon.starts_at', '<=', databaseTime)]),
    coupon.or([coupon('coupon.ends_at', 'is', null), coupon('coupon.ends_at', '>', databaseTime)]),
    coupon.or([
      coupon('coupon.max_redemptions', 'is', null),
      coupon('coupon.redemptions_count', '<', coupon.ref('coupon.max_redemptions')),
    ]),
  ])

/** Selects how often a person has used a coupon, and the sequence number of their next use. */
const usesOf = (writer: SchoolWriter, { couponId, personId }: Pick<CouponUse, 'couponId'> & { personId: string | null }) =>
  writer
    .selectFrom('coupon_redemption')
    .select((use) => [
      use.fn.countAll().as('count'),
      use(use.fn.coalesce(use.fn.max('coupon_redemption.person_seq'), use.lit(0)), '+', use.lit(1)).as('next'),
    ])
    .where('coupon_redemption.coupon_id', '=', couponId)
    .where('coupon_redemption.person_id', '=', personId)
    .where('coupon_redemption.status', '<>', 'released')
    .as('uses')

/**
 * Counts one more use of a coupon, if one is left. Locks the coupon until the transaction ends, so keep the transaction short. The version
 * of the coupon does not count its uses.
 * @throws Problem coupon_unavailable
 */
export async function countUse(writer: SchoolWriter, { couponId }: { couponId: string }): Promise<void> {
  const counted = await writer
    .updateTable('coupon')
    .set((coupon) => ({ redemptions_count: coupon('coupon.redemptions_count', '+', 1) }))
    .where('coupon.id', '=', couponId)
    .where(isUsable)
    .returning('coupon.id')
    .executeTakeFirst()
  if (!counted) throw new Problem('coupon_unavailable')
}

/**
 * Records the use of a coupon and returns its id. `countUse` has locked the coupon, so the count of a person's uses is exact.
 * @throws Problem coupon_already_used
 */
export async function recordUse(
  writer: SchoolWriter,
  { now, couponId, personId, orderId, item, amountOff, currency, status }: CouponUse,
): Promise<string> {
  const id = newId()
  const written = await writer
    .insertInto('coupon_redemption')
    .columns([
      'school_id',
      'id',
      'created_at',
      'updated_at',
      'coupon_id',
      'person_id',
      'person_seq',
      'order_id',
      'product_type',
      'product_id',
      'amount_off',
      'currency',
      'status',
    ])
    .expression((query) =>
      query
        .selectFrom(['coupon', usesOf(writer, { couponId, personId })])
        .select((row) => [
          'coupon.school_id',
          row.cast(row.val(id), 'uuid').as('id'),
          row.cast(row.val(now), 'timestamptz').as('created_at'),
          row.cast(row.val(now), 'timestamptz').as('updated_at'),
          'coupon.id as coupon_id',
          row.cast(row.val(personId), 'uuid').as('person_id'),
          'uses.next as person_seq',
          row.cast(row.val(orderId), 'uuid').as('order_id'),
          row.cast(row.val(item.type), 'text').as('product_type'),
          row.cast(row.val(item.id), 'uuid').as('product_id'),
          row.cast(row.val(amountOff), 'bigint').as('amount_off'),
          row.cast(row.val(currency), 'text').as('currency'),
          row.cast(row.val(status), 'text').as('status'),
        ])
        .where('coupon.id', '=', couponId)
        .whereRef('uses.count', '<', 'coupon.max_redemptions_per_person'),
    )
    .returning('id')
    .executeTakeFirst()
  if (!written) throw new Problem('coupon_already_used')
  await recordChange(writer, { type: 'coupon_redemption', resource_id: id, action: 'created', version: 1 })
  return id
}

/**
 * Reserves the released use of an order's coupon again.
 * @throws Problem coupon_unavailable, coupon_already_used
 */
export async function reserveAgain(
  writer: SchoolWriter,
  { now, couponId, orderId }: { now: Date; couponId: string; orderId: string },
): Promise<void> {
  const released = await writer
    .selectFrom('coupon_redemption')
    .select(['id', 'person_id'])
    .where('order_id', '=', orderId)
    .where('status', '=', 'released')
    .executeTakeFirst()
  if (!released) return
  await countUse(writer, { couponId })
  const reserved = await writer
    .updateTable('coupon_redemption as use')
    .from(['coupon', usesOf(writer, { couponId, personId: released.person_id })])
    .set((use) => ({ status: 'reserved', person_seq: use.ref('uses.next'), version: use('use.version', '+', 1), updated_at: now }))
    .where('use.id', '=', released.id)
    .where('coupon.id', '=', couponId)
    .whereRef('uses.count', '<', 'coupon.max_redemptions_per_person')
    .returning('use.version')
    .executeTakeFirst()
  if (!reserved) throw new Problem('coupon_already_used')
  await recordChange(writer, {
    type: 'coupon_redemption',
    resource_id: released.id,
    action: 'reserved',
    version: reserved.version,
  })
}

interface OfOrders {
  now: Date
  orderIds: readonly string[]
}

export async function confirmUses(writer: SchoolWriter, orders: OfOrders): Promise<void> {
  const rows = await changeUses(writer, orders, { from: 'reserved', to: 'confirmed' })
  await recordChanges(writer, { type: 'coupon_redemption', action: 'confirmed' }, rows)
}

export const releaseUses = (writer: SchoolWriter, orders: OfOrders): Promise<void> => release(writer, orders, 'reserved')

export const releaseConfirmedUses = (writer: SchoolWriter, orders: OfOrders): Promise<void> => release(writer, orders, 'confirmed')

async function release(writer: SchoolWriter, orders: OfOrders, from: 'reserved' | 'confirmed'): Promise<void> {
  const rows = await changeUses(writer, orders, { from, to: 'released' })
  if (rows.length === 0) return
  const couponIds = rows.map(({ coupon_id }) => coupon_id)
  await writer
    .selectFrom('coupon')
    .select('id')
    .where('id', 'in', [...new Set(couponIds)].toSorted())
    .orderBy('id')
    .forUpdate()
    .execute()
  await writer
    .updateTable('coupon')
    .from((query) =>
      query
        .selectFrom(unnest('use', { coupon_id: { type: 'uuid', values: couponIds } }))
        .select((use) => ['use.coupon_id', use.cast<number>(use.fn.countAll(), 'int4').as('uses')])
        .groupBy('use.coupon_id')
        .as('released'),
    )
    .set((coupon) => ({ redemptions_count: countedBy(coupon.ref('coupon.redemptions_count'), coupon.neg(coupon.ref('released.uses'))) }))
    .whereRef('coupon.id', '=', 'released.coupon_id')
    .execute()
  await recordChanges(writer, { type: 'coupon_redemption', action: 'released' }, rows)
}

const changeUses = async (
  writer: SchoolWriter,
  { now, orderIds }: OfOrders,
  { from, to }: { from: 'reserved' | 'confirmed'; to: 'confirmed' | 'released' },
) =>
  orderIds.length === 0
    ? []
    : await writer
        .updateTable('coupon_redemption')
        .set((use) => ({ status: to, version: use('version', '+', 1), updated_at: now }))
        .where('order_id', 'in', [...orderIds])
        .where('status', '=', from)
        .returning(['id', 'version', 'coupon_id'])
        .execute()
