import type { Keyring } from '../../base/keyring.ts'
import { canWait, type EmailKind, emailLifetimeSeconds, isUrgent } from '../../base/mail/emailKinds.ts'
import { DeliveryFailure } from '../../base/net/deliveryFailure.ts'
import { isInvalidHost } from '../../base/text/emailAddress.ts'
import type { Database } from '../../database/connection/database.ts'
import { addToOutbox } from '../../database/outbox/addToOutbox.ts'
import type { Defer } from '../../database/outbox/deferredWork.ts'
import type { OutboxKind } from '../../database/outbox/outboxKinds.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import { preferenceOf } from '../../school/notifications/notificationPreferences.ts'

export interface Outbox {
  send: SendMessage
  defer: Defer
  /** Returns the content of a row. @throws DeliveryFailure if no secret opens it: the next attempt may have one that does */
  open(payload: unknown): unknown
  /** Calls `listener` after each commit that added something. */
  onAdded(listener: () => void): void
}

/** Requests of people are of no use later. */
const deferredSeconds = 3600

const outboxKindOf = (kind: EmailKind): OutboxKind => {
  if (isUrgent(kind)) return 'urgent_email'
  return preferenceOf(kind) === undefined ? 'email' : 'bulk_email'
}

/** Creates the outbox. Payloads are encrypted: they contain addresses and links that give access to accounts. */
export function createOutbox({ database, keyring }: { database: Pick<Database, 'afterCommit'>; keyring: Keyring }): Outbox {
  const listeners: (() => void)[] = []
  const announce = (): void => {
    for (const listener of listeners) listener()
  }
  const sealed = (content: unknown): string => keyring.seal('outbox', JSON.stringify(content))
  return {
    async send(db, school, to, kind, values) {
      const recipients = [to].flat().filter(({ email }) => !isInvalidHost(email))
      if (recipients.length === 0) return
      const expiresInSeconds = emailLifetimeSeconds(kind)
      const entries = recipients.map((one) => ({
        schoolId: school.id,
        kind: outboxKindOf(kind),
        recipient: { email: one.email },
        sealed: sealed({ to: one, kind, values }),
        expiresInSeconds,
        canWait: canWait(kind),
      }))
      await addToOutbox(db, entries)
      database.afterCommit(announce)
    },
    async defer(db, schoolId, kind, work) {
      const recipient = 'account_id' in work ? { accountId: work.account_id } : { email: work.email }
      // A notice is an e-mail that is addressed when it is delivered.
      const expiresInSeconds = 'account_id' in work ? emailLifetimeSeconds(work.kind) : deferredSeconds
      await addToOutbox(db, [{ schoolId, kind, recipient, sealed: sealed(work), expiresInSeconds }])
      database.afterCommit(announce)
    },
    open(payload) {
      const content = keyring.tryOpen('outbox', String(payload))
      if (content === undefined) throw new DeliveryFailure('no secret of SECRET_KEY opens it: add the one that was removed')
      return JSON.parse(content)
    },
    onAdded: (listener) => void listeners.push(listener),
  }
}
