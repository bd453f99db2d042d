import { fromPublicId, toPublicId } from '../../base/ids.ts'
import type { Keyring } from '../../base/keyring.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { MessageKind, Recipient } from '../../database/outbox/sendMessage.ts'
import { now } from '../../database/statements/expressions.ts'
import { recordChanges } from '../../database/tables/changeLog.ts'
import { type OptionalPreference, optionalPreferences, preferenceOf } from './notificationPreferences.ts'
import { isNotTurnedOff, turnedOff } from './preferenceExpressions.ts'

export interface Unsubscription {
  accountId: string
  preference: OptionalPreference
}

export interface UnsubscribeLinks {
  /** Returns the URL that turns e-mails of this kind off for the recipient; undefined if they cannot be turned off. */
  url(school: { id: string; issuer: string }, to: Pick<Recipient, 'accountId'>, kind: MessageKind): string | undefined
  /** Returns what the token of a link turns off; undefined if this school did not create it. */
  read(schoolId: string, token: string): Unsubscription | undefined
}

export const unsubscribePath = '/unsubscribe'

/**
 * Creates links that turn off one preference of one account, without signing in. Their tokens `<account>.<preference>.<signature>` do not
 * expire, because people keep e-mails: they can do nothing else.
 */
export function createUnsubscribeLinks(keyring: Pick<Keyring, 'sign' | 'verify'>): UnsubscribeLinks {
  const signed = (schoolId: string, subject: string): string => `${schoolId} ${subject}`
  return {
    url({ id: schoolId, issuer }, { accountId }, kind) {
      const preference = preferenceOf(kind)
      if (!accountId || preference === undefined) return undefined
      const subject = `${toPublicId('acc', accountId)}.${preference}`
      const token = `${subject}.${keyring.sign('unsubscribe links', signed(schoolId, subject))}`
      return issuer + withQuery(unsubscribePath, { token })
    },
    read(schoolId, token) {
      const [, subject = '', account = '', name = '', signature = ''] =
        /^((acc_[0-9a-z]{1,40})\.([a-z_]{1,40}))\.([\w-]{43})$/.exec(token) ?? []
      if (!keyring.verify('unsubscribe links', signed(schoolId, subject), signature)) return undefined
      const accountId = fromPublicId('acc', account)
      const preference = optionalPreferences.find((one) => one === name)
      return accountId === undefined || preference === undefined ? undefined : { accountId, preference }
    },
  }
}

/** Turns e-mails off. Does nothing if they are off, or if the account does not exist any more. Call it in a transaction. */
export async function unsubscribe(writer: SchoolWriter, { accountId, preference }: Unsubscription): Promise<void> {
  const changed = await writer
    .updateTable('account')
    .set((account) => ({
      preferences: turnedOff(account.ref('preferences'), preference),
      version: account('version', '+', 1),
      updated_at: now,
    }))
    .where('id', '=', accountId)
    .where((account) => isNotTurnedOff(account.ref('preferences'), preference))
    .returning(['id', 'version'])
    .execute()
  await recordChanges(writer, { type: 'account', action: 'updated' }, changed)
}
