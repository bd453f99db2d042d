import type { Selectable } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import type { DB } from '../../gen/kysely/tables.ts'
import type { InSchool } from '../schoolHandles.ts'

export interface OfSubscription extends InSchool {
  subscriptionId: string
}

/** A subscription as its rules need it. Amounts in the smallest unit of its currency; eight-byte numbers may be text. */
export type SubscriptionRow = Omit<Selectable<DB['subscription']>, 'updated_at' | 'external_id' | 'metadata'>

export type SubscriptionColumns = Partial<Omit<SubscriptionRow, 'school_id' | 'id' | 'version' | 'created_at' | 'person_id'>>

export async function lockSubscription(
  writer: SchoolWriter,
  { subscriptionId }: Pick<OfSubscription, 'subscriptionId'>,
): Promise<SubscriptionRow | undefined> {
  return await writer.selectFrom('subscription').selectAll().where('id', '=', subscriptionId).forUpdate().executeTakeFirst()
}

export async function writeTransition(
  writer: SchoolWriter,
  row: SubscriptionRow,
  { columns, action, now }: { columns: SubscriptionColumns; action: ChangeAction; now: Date },
): Promise<SubscriptionRow> {
  const written = await writer
    .updateTable('subscription')
    .set((subscription) => ({ ...columns, version: subscription('version', '+', 1), updated_at: now }))
    .where('id', '=', row.id)
    .returningAll()
    .executeTakeFirst()
  if (!written) throw new Error(`there is no subscription ${row.id}`)
  await recordChange(writer, { type: 'subscription', resource_id: row.id, action, version: written.version })
  return written
}

/** Names the latest order of a subscription. Its version does not count this. */
export async function setLatestOrder(
  writer: SchoolWriter,
  { subscriptionId, orderId }: { subscriptionId: string; orderId: string },
): Promise<void> {
  await writer.updateTable('subscription').set({ latest_order_id: orderId }).where('id', '=', subscriptionId).execute()
}
