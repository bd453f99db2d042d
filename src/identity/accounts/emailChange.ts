import { accountPaths } from '../../base/accountPaths.ts'
import { errorCode } from '../../base/log/errorCode.ts'
import type { School } from '../../base/school.ts'
import type { SchoolDatabase, SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import type { EmailFacts, Recipient, SendMessage } from '../../database/outbox/sendMessage.ts'
import { now } from '../../database/statements/expressions.ts'
import { changedPerson, recordPersonChanges } from '../../database/tables/changeLog.ts'
import { findMailedLink, useMailedLink, voidMailedLinks } from '../../database/tables/mailedLinks.ts'
import { schoolContact, schoolTimeZone } from '../../database/tables/schools.ts'
import { createMailedLink, linkKey, pageUrl } from './createMailedLink.ts'

/**
 * Starts the change of an account's address, in the transaction that stores it: voids earlier links and sends a link to
 * the new address. A repeated call sends another link. If another account has the address, the work is the same, but the e-mail informs
 * the owner of that address.
 */
export async function beginEmailChange(
  { writer, send }: { writer: SchoolWriter; send: SendMessage },
  school: School,
  { accountId, current, email, locales }: { accountId: string; current: string; email: string; locales: Recipient['locales'] },
): Promise<{ pendingEmail: string | null }> {
  await voidMailedLinks(writer, school.id, accountId, 'email_change')
  if (email === current) return { pendingEmail: null }
  const link = await createMailedLink(writer, school, { purpose: 'email_change', path: accountPaths.email, email, accountId })
  const isTaken = await hasAccount(writer, email)
  const to = { email, locales }
  if (isTaken) await send(writer, school, to, 'email_change_known', { sign_in: pageUrl(school, accountPaths.signIn) })
  else await send(writer, school, to, 'email_change', { link })
  return { pendingEmail: email }
}

/** Returns the address that the link confirms and its account, or undefined if the link is invalid, used or expired. Does not use up the link. */
export async function findEmailChange(
  database: SchoolReader,
  school: School,
  token: string,
): Promise<{ email: string; accountId: string } | undefined> {
  const link = await findMailedLink(database, linkKey(school, 'email_change', token))
  return link?.account_id ? { email: link.email, accountId: link.account_id } : undefined
}

/** `taken`: another account has used the address since the link was sent. */
export type FinishedEmailChange = { outcome: 'changed' } | { outcome: 'taken' }

interface EmailChangeForm {
  token: string
  accountId: string
  language?: string | undefined
  from: NonNullable<EmailFacts['from']>
}

/**
 * Uses up the link and changes the address of the signed-in account. Voids links that were sent to the previous address and notifies both
 * addresses. Returns undefined if the link is invalid or belongs to another account.
 */
export async function finishEmailChange(
  { database, send }: { database: SchoolDatabase; send: SendMessage },
  school: School,
  { token, accountId, language, from }: EmailChangeForm,
): Promise<FinishedEmailChange | undefined> {
  const link = await findEmailChange(database.kysely, school, token)
  if (link?.accountId !== accountId) return undefined
  return await database
    .transaction(async (writer) => {
      const changed = await changeEmail(writer, school, { token, accountId })
      if (changed?.outcome !== 'changed') return changed
      const { contactEmail, supportUrl } = await schoolContact(writer, school.id)
      const contact = contactEmail ?? supportUrl ?? school.issuer
      const locales = [language, changed.locale]
      const timeZone = changed.timeZone ?? (await schoolTimeZone(writer, school.id))
      const values = { contact, facts: { at: new Date().toISOString(), time_zone: timeZone, from } }
      await send(writer, school, { email: changed.before, locales }, 'email_changed', values)
      await send(writer, school, { email: link.email, locales }, 'email_changed_to', values)
      return { outcome: 'changed' } as const
    })
    .catch((error: unknown) => {
      // Two accounts confirmed the same address concurrently: the unique index lets only one of them have it.
      if (errorCode(error) === '23505') return { outcome: 'taken' } as const
      throw error
    })
}

async function hasAccount(database: SchoolReader, email: string): Promise<boolean> {
  const account = await database.selectFrom('account').select('id').where('email', '=', email).executeTakeFirst()
  return account !== undefined
}

async function changeEmail(
  writer: SchoolWriter,
  school: School,
  { token, accountId }: { token: string; accountId: string },
): Promise<{ outcome: 'changed'; before: string; locale: string | null; timeZone: string | null } | { outcome: 'taken' } | undefined> {
  const link = await useMailedLink(writer, linkKey(school, 'email_change', token))
  if (!link) return undefined
  const { email } = link
  const account = await writer
    .selectFrom('account')
    .select(['email', 'pending_email', 'locale', 'time_zone'])
    .where('id', '=', accountId)
    .where('disabled_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  if (account?.pending_email !== email) return undefined
  const isTaken = await hasAccount(writer, email)
  await writer
    .updateTable('account')
    .set((row) => ({
      ...(isTaken ? {} : { email, email_verified: true }),
      pending_email: null,
      updated_at: now,
      version: row('version', '+', 1),
    }))
    .where('id', '=', accountId)
    .execute()
  if (isTaken) return { outcome: 'taken' }
  // If another person of the school has the new address, that person keeps it.
  const people = await writer
    .updateTable('person')
    .set((person) => ({ email, updated_at: now, version: person('person.version', '+', 1) }))
    .where('person.account_id', '=', accountId)
    .where(({ not, exists, selectFrom }) => not(exists(selectFrom('person as other').select('other.id').where('other.email', '=', email))))
    .returning(changedPerson)
    .execute()
  await recordPersonChanges(writer, people)
  await voidMailedLinks(writer, school.id, accountId)
  return { outcome: 'changed', before: account.email, locale: account.locale, timeZone: account.time_zone }
}
