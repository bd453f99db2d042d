import type { Reader } from '../connection/database.ts'
import { now, secondsFromNow } from '../statements/expressions.ts'
import { storableText } from '../statements/storableText.ts'
import type { ClaimedRow } from './claimOutbox.ts'

export type Settlement =
  | { outcome: 'delivered'; keepsPayload: boolean }
  | { outcome: 'retried'; afterSeconds: number; reason: string }
  | { outcome: 'dead' | 'withheld'; reason: string }

/** Longest reason that is stored, in characters. */
const longestReason = 300

/** Stores how an attempt ended. Does nothing if another process has taken the row over. Returns true if it was stored. */
export async function settleOutbox(
  db: Reader,
  row: Pick<ClaimedRow, 'school_id' | 'id' | 'attempts'>,
  ended: Settlement,
): Promise<boolean> {
  const reason = ended.outcome === 'delivered' ? null : storableText(ended.reason).slice(0, longestReason)
  const { numUpdatedRows } = await db
    .updateTable('outbox')
    .set({
      locked_until: null,
      reason,
      ...(ended.outcome === 'retried'
        ? { next_at: secondsFromNow(ended.afterSeconds) }
        : { state: ended.outcome, finished_at: now, ...(ended.outcome === 'delivered' && !ended.keepsPayload && { payload: null }) }),
    })
    .where('school_id', '=', row.school_id)
    .where('id', '=', row.id)
    .where('state', '=', 'pending')
    .where('attempts', '=', row.attempts)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
