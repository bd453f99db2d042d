import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { InSchool } from '../schoolHandles.ts'
import { canceledColumns, expiredColumns } from './subscriptionColumns.ts'
import { type SubscriptionRow, writeTransition } from './subscriptionRow.ts'
import { leaveSeat, lockPlans, syncAccess } from './syncAccess.ts'

/** Why a subscription ended. Staff and the person choose a reason; background jobs set `payment_failed`. */
export const cancellationReasons = [
  'too_expensive',
  'not_using',
  'missing_content',
  'switching',
  'other',
  'payment_failed',
  'staff',
] as const
export type CancellationReason = (typeof cancellationReasons)[number]

/** True if a person has a subscription that continues: one that has not ended and does not end with its period. */
export async function hasRunningSubscription(reader: SchoolReader, personId: string): Promise<boolean> {
  const running = await reader
    .selectFrom('subscription')
    .select('id')
    .where('person_id', '=', personId)
    .where('status', 'not in', ['canceled', 'expired'])
    .where('cancel_at_period_end', '=', false)
    .limit(1)
    .executeTakeFirst()
  return running !== undefined
}

/** Ends every subscription of a person now, also those that end with their period. Call it in a transaction. Returns their number. */
export async function cancelSubscriptionsOf(
  writer: SchoolWriter,
  { now, personId, reason }: InSchool & { personId: string; reason: CancellationReason },
): Promise<number> {
  const rows = await writer
    .selectFrom('subscription')
    .selectAll()
    .where('person_id', '=', personId)
    .where('status', 'not in', ['canceled', 'expired'])
    .orderBy('id')
    .forUpdate()
    .execute()
  await lockPlans(
    writer,
    rows.map(({ plan_id }) => plan_id),
  )
  for (const row of rows) {
    await endNow(writer, { schoolId: writer.schoolId, now }, row, { cancellation_reason: row.cancellation_reason ?? reason })
  }
  return rows.length
}

/** Ends one subscription; one that never started expires. The row is locked. Locks its plan before anything else is written. */
export async function endNow(
  writer: SchoolWriter,
  { now }: InSchool,
  row: SubscriptionRow,
  { at = now, ...more }: { at?: Date; cancellation_reason?: string | null } = {},
): Promise<SubscriptionRow> {
  const isStarted = row.status !== 'incomplete'
  const columns = isStarted ? { ...canceledColumns(row, at), ...more } : expiredColumns(at)
  await leaveSeat(writer, row, columns.status)
  const written = await writeTransition(writer, row, { columns, action: isStarted ? 'canceled' : 'expired', now })
  await syncAccess(writer, { schoolId: writer.schoolId, now, subscriptionId: row.id }, written)
  return written
}
