import { accountPaths } from '../../policy/accountPaths.ts'
import type { SendMessage } from '../../policy/messages.ts'
import type { School } from '../../policy/school.ts'
import { endAccountSessions } from '../../store/accountSessions.ts'
import type { Database } from '../../store/database.ts'
import { findMailedLink, useMailedLink, voidMailedLinks } from '../../store/mailedLinks.ts'
import type { Sql } from '../../store/sql.ts'
import { addressOf, linkKey, makeMailedLink } from './mailedLinks.ts'

/** Writes a link to the account that has this address; nothing happens where there is none. Answers which account it was. */
export async function requestPasswordReset(
  { database, send }: { database: Database; send: SendMessage },
  school: School,
  { email, returnTo, language }: { email: string; returnTo?: string | undefined; language?: string | undefined },
): Promise<string | undefined> {
  const { sql } = database
  const [account] = await sql.query<{ id: string; locale: string | null }>(
    'SELECT id, locale FROM account WHERE school_id = $1 AND email = $2 AND disabled_at IS NULL',
    [school.id, email],
  )
  if (!account) return undefined
  const link = await makeMailedLink(sql, school, {
    purpose: 'password_reset',
    path: accountPaths.newPassword,
    email,
    accountId: account.id,
    payload: returnTo === undefined ? {} : { return_to: returnTo },
  })
  await send(school, { email, locales: [account.locale, language] }, 'password_reset', { link })
  return account.id
}

/** Whose password the link sets, or undefined where it was used, has expired, or is another school's. Changes nothing. */
export async function findPasswordReset(
  sql: Sql,
  school: School,
  token: string,
): Promise<{ email: string; returnTo: string | undefined } | undefined> {
  const link = await findMailedLink(sql, linkKey(school, 'password_reset', token))
  const returnTo = link?.payload.return_to
  return link && { email: link.email, returnTo: typeof returnTo === 'string' ? returnTo : undefined }
}

/**
 * Spends the link and sets the password: every session of the account ends, every other link to it is good for nothing, and a change of
 * its address that was under way is off. What was allowed to apps stays. The address is told.
 */
export async function finishPasswordReset(
  { database, send }: { database: Database; send: SendMessage },
  school: School,
  { token, passwordHash, language }: { token: string; passwordHash: string; language?: string | undefined },
): Promise<{ accountId: string; email: string } | undefined> {
  const changed = await database.transaction(async (_writer, sql) => {
    const link = await useMailedLink(sql, linkKey(school, 'password_reset', token))
    if (!link?.account_id) return undefined
    const [account] = await sql.query<{ id: string; locale: string | null }>(
      `UPDATE account
          SET password_hash = $4, email_verified = true, pending_email = NULL, updated_at = now(), version = version + 1
        WHERE school_id = $1 AND id = $2 AND email = $3 AND disabled_at IS NULL RETURNING id, locale`,
      [school.id, link.account_id, link.email, passwordHash],
    )
    if (!account) return undefined
    await voidMailedLinks(sql, school.id, account.id)
    await endAccountSessions(sql, school.id, account.id)
    return { accountId: account.id, email: link.email, locales: [account.locale, language] }
  })
  if (changed) await send(school, changed, 'password_changed', { reset: addressOf(school, accountPaths.forgottenPassword) })
  return changed
}
