import type { Role } from '../../base/caller.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import type { Recipient } from '../../database/outbox/sendMessage.ts'

const maxRecipients = 50

/** Returns the staff with one of these roles who can sign in, as recipients of an e-mail: at most 50. */
export async function staffRecipients(reader: SchoolReader, roles: readonly Role[]): Promise<Recipient[]> {
  const rows = await reader
    .selectFrom('staff')
    .innerJoin('person', 'person.id', 'staff.person_id')
    .innerJoin('account', 'account.id', 'person.account_id')
    .select(['account.email', 'account.locale as account_locale', 'person.locale as person_locale'])
    .where('staff.status', '=', 'active')
    .where('staff.role', 'in', roles)
    .where('account.disabled_at', 'is', null)
    .orderBy('staff.id')
    .limit(maxRecipients)
    .execute()
  return rows.map(({ email, account_locale, person_locale }) => ({ email, locales: [account_locale, person_locale] }))
}
