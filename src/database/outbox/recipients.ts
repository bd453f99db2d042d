import { hash } from '../../base/keyring.ts'
import type { Writer } from '../connection/database.ts'

export type OutboxRecipient = { email: string } | { accountId: string }

/** Returns the form in which a row names its recipient: the payload is sealed, so an erasure could not find it otherwise. */
export const recipientHash = (schoolId: string, recipient: OutboxRecipient): string =>
  hash('email' in recipient ? `${schoolId} email ${recipient.email.toLowerCase()}` : `${schoolId} account ${recipient.accountId}`)

/** Deletes all work about these people, whether it waits, was done or was given up. A delivery that is under way may still arrive. */
export async function forgetRecipients(writer: Writer, schoolId: string, recipients: readonly OutboxRecipient[]): Promise<void> {
  const hashes = recipients.map((one) => recipientHash(schoolId, one))
  await writer
    .deleteFrom('outbox')
    .where('school_id', '=', schoolId)
    .where((row) => row('recipient', '=', row.fn.any(row.val(hashes))))
    .execute()
}
