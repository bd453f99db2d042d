import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'
import { heldActivity, heldSeconds } from '../statements/held.ts'
import { unnest } from '../statements/unnest.ts'
import type { OutboxKind } from './outboxKinds.ts'
import { type OutboxRecipient, recipientHash } from './recipients.ts'

export interface OutboxEntry {
  schoolId: string
  kind: OutboxKind
  /** The person whom the work is about. */
  recipient: OutboxRecipient
  /** Sealed, because it names people. */
  sealed: string
  /** No attempt begins later than this. */
  expiresInSeconds: number
  /** True if it waits when an app causes it: see outgoing.ts. */
  canWait?: boolean
}

/** Adds work in one statement. Inside a transaction pass its writer: the work is then done exactly if the change is committed. */
export async function addToOutbox(db: Reader, entries: readonly OutboxEntry[]): Promise<void> {
  if (entries.length === 0) return
  const added = unnest('added', {
    school_id: { type: 'uuid', values: entries.map(({ schoolId }) => schoolId) },
    kind: { type: 'text', values: entries.map(({ kind }) => kind) },
    recipient: { type: 'text', values: entries.map(({ schoolId, recipient }) => recipientHash(schoolId, recipient)) },
    sealed: { type: 'text', values: entries.map(({ sealed }) => sealed) },
    seconds: { type: 'int', values: entries.map(({ expiresInSeconds }) => expiresInSeconds) },
    can_wait: { type: 'bool', values: entries.map(({ canWait = false }) => canWait) },
  })
  await db
    .insertInto('outbox')
    .columns(['school_id', 'kind', 'recipient', 'payload', 'expires_at', 'activity_id', 'next_at'])
    .expression(
      db
        .selectFrom(added)
        .select(({ ref }) => [
          sql<string>`${ref('added.school_id')}`.as('school_id'),
          sql<string>`${ref('added.kind')}`.as('kind'),
          sql<string>`${ref('added.recipient')}`.as('recipient'),
          sql<string>`to_jsonb(${ref('added.sealed')})`.as('payload'),
          sql<Date>`now() + make_interval(secs => ${ref('added.seconds')})`.as('expires_at'),
          sql<string | null>`CASE WHEN ${ref('added.can_wait')} THEN ${heldActivity} END`.as('activity_id'),
          sql<Date>`now() + make_interval(secs => CASE WHEN ${ref('added.can_wait')} THEN ${heldSeconds} ELSE 0 END)`.as('next_at'),
        ]),
    )
    .execute()
}
