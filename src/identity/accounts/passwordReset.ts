import { accountPaths } from '../../base/accountPaths.ts'
import type { School } from '../../base/school.ts'
import type { SchoolDatabase, SchoolReader } from '../../database/connection/database.ts'
import type { EmailFacts, SendMessage } from '../../database/outbox/sendMessage.ts'
import { now } from '../../database/statements/expressions.ts'
import { endAccountSessions } from '../../database/tables/accountSessions.ts'
import { findMailedLink, useMailedLink, voidMailedLinks } from '../../database/tables/mailedLinks.ts'
import { schoolTimeZone } from '../../database/tables/schools.ts'
import { createMailedLink, linkKey, pageUrl } from './createMailedLink.ts'

/** E-mails a reset link to the account with this address and returns its id. Does nothing if the account does not exist. */
export async function requestPasswordReset(
  { database, send }: { database: SchoolDatabase; send: SendMessage },
  school: School,
  { email, returnTo, language }: { email: string; returnTo?: string | undefined; language?: string | undefined },
): Promise<string | undefined> {
  const account = await database.kysely
    .selectFrom('account')
    .select(['id', 'locale'])
    .where('email', '=', email)
    .where('disabled_at', 'is', null)
    .executeTakeFirst()
  if (!account) return undefined
  await database.transaction(async (writer) => {
    const link = await createMailedLink(writer, school, {
      purpose: 'password_reset',
      path: accountPaths.newPassword,
      email,
      accountId: account.id,
      payload: returnTo === undefined ? {} : { return_to: returnTo },
    })
    await send(writer, school, { email, locales: [account.locale, language] }, 'password_reset', { link })
  })
  return account.id
}

/** Returns the account whose password the link resets, or undefined if the link is used, expired or of another school. Does not use up the link. */
export async function findPasswordReset(
  database: SchoolReader,
  school: School,
  token: string,
): Promise<{ email: string; name: string; returnTo: string | undefined } | undefined> {
  const link = await findMailedLink(database, linkKey(school, 'password_reset', token))
  if (!link?.account_id) return undefined
  const account = await database.selectFrom('account').select('name').where('id', '=', link.account_id).executeTakeFirst()
  const { return_to: returnTo } = link.payload
  return { email: link.email, name: account?.name ?? '', returnTo: typeof returnTo === 'string' ? returnTo : undefined }
}

interface PasswordResetForm {
  token: string
  passwordHash: string
  language?: string | undefined
  from: NonNullable<EmailFacts['from']>
}

/**
 * Uses up the link and sets the password. Ends every session of the account, voids its other links, cancels a pending change of its
 * address and notifies the address. Authorizations of apps stay. Returns undefined if the link is invalid, used or expired.
 */
export async function finishPasswordReset(
  { database, send }: { database: SchoolDatabase; send: SendMessage },
  school: School,
  { token, passwordHash, language, from }: PasswordResetForm,
): Promise<{ accountId: string; email: string } | undefined> {
  return await database.transaction(async (writer) => {
    const link = await useMailedLink(writer, linkKey(school, 'password_reset', token))
    if (!link?.account_id) return undefined
    const account = await writer
      .updateTable('account')
      .set((row) => ({
        password_hash: passwordHash,
        email_verified: true,
        pending_email: null,
        updated_at: now,
        version: row('version', '+', 1),
      }))
      .where('id', '=', link.account_id)
      .where('email', '=', link.email)
      .where('disabled_at', 'is', null)
      .returning(['id', 'locale', 'time_zone'])
      .executeTakeFirst()
    if (!account) return undefined
    await voidMailedLinks(writer, school.id, account.id)
    await endAccountSessions(writer, school.id, account.id)
    const to = { email: link.email, locales: [account.locale, language] }
    const timeZone = account.time_zone ?? (await schoolTimeZone(writer, school.id))
    const facts = { at: new Date().toISOString(), time_zone: timeZone, from }
    await send(writer, school, to, 'password_changed', { reset: pageUrl(school, accountPaths.forgottenPassword), facts })
    return { accountId: account.id, email: link.email }
  })
}
