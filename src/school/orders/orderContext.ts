import type { SchoolWriter, Stored } from '../../database/connection/database.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'

/** An order as its rules need it. Eight-byte numbers may be text. */
export type OrderRow = Stored<'orders', 'id' | 'version' | 'status' | 'kind' | 'number' | 'currency' | 'person_id' | 'coupon_id'> &
  Stored<'orders', 'subscription_id' | 'total_amount' | 'refunded_amount'>

export const orderColumns = [
  'orders.id',
  'orders.version',
  'orders.status',
  'orders.kind',
  'orders.number',
  'orders.currency',
  'orders.person_id',
  'orders.coupon_id',
  'orders.subscription_id',
  'orders.total_amount',
  'orders.refunded_amount',
] as const

export const recordOrderChange = (
  writer: SchoolWriter,
  { id, version }: { id: string; version: number },
  action: ChangeAction,
): Promise<void> => recordChange(writer, { type: 'order', resource_id: id, action, version })

/** Adds an amount to the lifetime spend of a person; a negative one for a refund. The version of the person does not count it. */
export async function addSpend(writer: SchoolWriter, personId: string | null, amount: number): Promise<void> {
  if (personId === null || amount === 0) return
  await writer
    .updateTable('person')
    .set((person) => ({ lifetime_spend: person('lifetime_spend', '+', amount) }))
    .where('id', '=', personId)
    .execute()
}
