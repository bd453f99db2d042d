import type { Database, Reader, SchoolWriter } from '../../../database/connection/database.ts'
import { schoolDatabase } from '../../../database/school/inSchool.ts'
import type { InSchool } from '../../schoolHandles.ts'
import { grantsAccess } from '../accessExpressions.ts'
import { endNow } from '../endSubscriptions.ts'
import { dayLong } from '../periods.ts'
import { type DueStep, dueStep, firstPaymentHours, renewSubscription } from '../renewSubscription.ts'
import { outstandingDays, resumedColumns } from '../subscriptionColumns.ts'
import { lockSubscription, type OfSubscription, type SubscriptionRow, writeTransition } from '../subscriptionRow.ts'
import { lockPlansOf, syncAccess } from '../syncAccess.ts'

/** The most transitions of one subscription per run. One that was not advanced for years catches up over several runs. */
const maxSteps = 24

/**
 * Advances due subscriptions, at most `limit`, each in a separate transaction, so that a failure does not block the others. Returns how
 * many changed.
 * @throws Error the first failure, after all others are advanced
 */
export async function advanceSubscriptions(database: Database, now: Date, limit: number): Promise<number> {
  const due = await findDue(database.kysely, now, limit)
  return await forEach(due, ({ school_id: schoolId, id }) =>
    schoolDatabase(database, schoolId, 'schedule').transaction(async (writer) =>
      Math.min(1, await advance(writer, { schoolId, now, subscriptionId: id })),
    ),
  )
}

/**
 * Ends the enrolments of subscriptions whose payment is still outstanding after the grace period. Returns the number of subscriptions.
 * @throws Error the first failure, after all others are done
 */
export async function closeOutstanding(database: Database, now: Date, limit: number): Promise<number> {
  const subscriptions = await database.kysely
    .selectFrom('subscription')
    .select(['subscription.school_id', 'subscription.id', 'subscription.person_id'])
    .where('subscription.status', '=', 'past_due')
    .where((row) => row.not(grantsAccess))
    .where((row) =>
      row.exists(
        row
          .selectFrom('enrollment')
          .whereRef('enrollment.school_id', '=', 'subscription.school_id')
          .whereRef('enrollment.person_id', '=', 'subscription.person_id')
          .whereRef('enrollment.subscription_id', '=', 'subscription.id')
          .where('enrollment.source', '=', 'plan')
          .where('enrollment.status', 'in', ['active', 'completed']),
      ),
    )
    .limit(limit)
    .execute()
  return await forEach(subscriptions, ({ school_id: schoolId, id, person_id }) =>
    schoolDatabase(database, schoolId, 'schedule').transaction(async (writer) => {
      await syncAccess(writer, { schoolId, now, subscriptionId: id }, { person_id })
      return 1
    }),
  )
}

/** Returns the subscriptions with a due transition. A part of the union uses the same index as the state that it names. */
function findDue(reader: Reader, now: Date, limit: number): Promise<{ school_id: string; id: string }[]> {
  const subscriptions = reader.selectFrom('subscription').select(['school_id', 'id'])
  const overdueSince = new Date(now.getTime() - outstandingDays * dayLong)
  const abandonedSince = new Date(now.getTime() - firstPaymentHours * 3_600_000)
  return subscriptions
    .where('status', 'in', ['active', 'trialing'])
    .where('current_period_end', '<=', now)
    .union(
      subscriptions
        .where('status', 'in', ['past_due', 'paused'])
        .where('cancel_at_period_end', '=', true)
        .where('current_period_end', '<=', now),
    )
    .union(subscriptions.where('status', '=', 'past_due').where('past_due_since', '<=', overdueSince))
    .union(subscriptions.where('status', '=', 'incomplete').where('created_at', '<=', abandonedSince))
    .union(subscriptions.where('status', '=', 'paused').where('resumes_at', '<=', now))
    .limit(limit)
    .execute()
}

async function advance(writer: SchoolWriter, subscription: OfSubscription): Promise<number> {
  let row = await lockSubscription(writer, subscription)
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const due = row && dueStep(row, subscription.now)
    if (!row || !due) return steps
    await lockPlansOf(writer, row)
    row = await applyStep(writer, subscription, row, due)
  }
  return maxSteps
}

async function applyStep(writer: SchoolWriter, school: InSchool, row: SubscriptionRow, { kind, at }: DueStep): Promise<SubscriptionRow> {
  switch (kind) {
    case 'give_up':
    case 'end':
      return await endNow(writer, school, row, { at })
    case 'end_unpaid':
      return await endNow(writer, school, row, { at, cancellation_reason: 'payment_failed' })
    case 'resume': {
      const written = await writeTransition(writer, row, { columns: resumedColumns(row, at), action: 'resumed', now: school.now })
      await syncAccess(writer, { ...school, subscriptionId: row.id }, written)
      return written
    }
    case 'renew':
      return await renewSubscription(writer, school, row, { from: at })
  }
}

async function forEach<Row>(rows: readonly Row[], work: (row: Row) => Promise<number>): Promise<number> {
  const failures: unknown[] = []
  let changed = 0
  for (const row of rows) {
    try {
      changed += await work(row)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return changed
}
