import type { Selectable } from 'kysely'
import type { DB } from '../../gen/kysely/tables.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import { recordChange } from '../../store/changeLog.ts'
import type { Writer } from '../../store/database.ts'
import type { InSchool } from '../inSchool.ts'

/** One subscription of a school. */
export interface OfSubscription extends InSchool {
  subscriptionId: string
}

/** A subscription as its rules need it. Amounts in the smallest unit of its currency; eight-byte numbers may be text. */
export type SubscriptionRow = Omit<Selectable<DB['subscription']>, 'updated_at' | 'external_id' | 'metadata'>

/** The columns that a transition of a subscription writes. */
export type SubscriptionColumns = Partial<Omit<SubscriptionRow, 'school_id' | 'id' | 'version' | 'created_at' | 'person_id'>>

/** Returns the subscription and locks it until the transaction ends. */
export async function lockSubscription(
  writer: Writer,
  { schoolId, subscriptionId }: Pick<OfSubscription, 'schoolId' | 'subscriptionId'>,
): Promise<SubscriptionRow | undefined> {
  return await writer
    .selectFrom('subscription')
    .selectAll()
    .where('school_id', '=', schoolId)
    .where('id', '=', subscriptionId)
    .forUpdate()
    .executeTakeFirst()
}

/** Writes a transition of a locked subscription, increments its version and records the change. */
export async function writeTransition(
  writer: Writer,
  row: SubscriptionRow,
  { columns, action, now }: { columns: SubscriptionColumns; action: ChangeAction; now: Date },
): Promise<SubscriptionRow> {
  const written = await writer
    .updateTable('subscription')
    .set((subscription) => ({ ...columns, version: subscription('version', '+', 1), updated_at: now }))
    .where('school_id', '=', row.school_id)
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirst()
  if (!written) throw new Error(`there is no subscription ${row.id}`)
  await recordChange(writer, { school_id: row.school_id, type: 'subscription', resource_id: row.id, action, version: written.version })
  return written
}

/** Names the latest order of a subscription. Its version does not count this. */
export async function setLatestOrder(
  writer: Writer,
  { schoolId, subscriptionId, orderId }: { schoolId: string; subscriptionId: string; orderId: string },
): Promise<void> {
  await writer
    .updateTable('subscription')
    .set({ latest_order_id: orderId })
    .where('school_id', '=', schoolId)
    .where('id', '=', subscriptionId)
    .execute()
}
