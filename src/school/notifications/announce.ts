import { sql } from 'kysely'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { heldActivity, heldSeconds } from '../../database/statements/held.ts'

/** The news that people get an e-mail about, and how long it waits for further news of its group, in seconds. */
const waitingSeconds = {
  /** Can be undone before anybody has the e-mail. What an app does waits as long as `apps.outgoing_delay` at least. */
  post: 300,
  lesson: 900,
  reply: 300,
  comment: 300,
  quiz_result: 0,
  receipt: 0,
  refund: 0,
} as const

export type NewsKind = keyof typeof waitingSeconds

interface Announced {
  kind: NewsKind
  /** The rows that the news is about. Each is announced once. */
  subjectIds: readonly string[]
  /** News of one group shares an e-mail. Default: no group. */
  groupId?: string
  /** When it happens. */
  at: Date
}

/**
 * Records news, about which a job sends e-mails. Call it in the transaction of the change. News that was announced before is ignored; if
 * its e-mails are not sent yet, they wait for the new time.
 */
export async function announce(writer: SchoolWriter, { kind, subjectIds, groupId, at }: Announced): Promise<void> {
  if (subjectIds.length === 0) return
  const due = sql<Date>`greatest(${at}::timestamptz, now()) + make_interval(secs => greatest(${waitingSeconds[kind]}::int, ${heldSeconds}))`
  await writer
    .insertInto('notification')
    .values(
      subjectIds.map((id) => ({
        school_id: writer.schoolId,
        kind,
        subject_id: id,
        group_id: groupId ?? id,
        occurred_at: at,
        due_at: due,
        activity_id: heldActivity,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['school_id', 'kind', 'subject_id'])
        .doUpdateSet((row) => ({
          due_at: row.ref('excluded.due_at'),
          occurred_at: row.ref('excluded.occurred_at'),
          activity_id: row.ref('excluded.activity_id'),
        }))
        .where('notification.finished_at', 'is', null)
        .where('notification.after_person_id', 'is', null),
    )
    .execute()
}
