import { accountPaths } from '../../policy/accountPaths.ts'
import type { SendMessage } from '../../policy/messages.ts'
import type { School } from '../../policy/school.ts'
import type { Database } from '../../store/database.ts'
import { findMailedLink, useMailedLink, voidMailedLinks } from '../../store/mailedLinks.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import { schoolContact } from '../../store/schools.ts'
import type { Sql } from '../../store/sql.ts'
import { addressOf, linkKey, makeMailedLink } from './mailedLinks.ts'

/** What has begun: the address that waits to be confirmed, and who is to be told how. */
export interface BegunEmailChange {
  pendingEmail: string | null
  tell: ((send: SendMessage) => Promise<void>) | undefined
}

/**
 * Begins the change of an account's address, within the transaction that writes it down: a link goes to the new one, and any earlier
 * change that was under way is off. Called again it sends again. The same work is done where another account has the address; its owner
 * is told instead, and nobody else.
 */
export async function beginEmailChange(
  sql: Sql,
  school: School,
  { accountId, current, email, locale }: { accountId: string; current: string; email: string; locale: string | null },
): Promise<BegunEmailChange> {
  await voidMailedLinks(sql, school.id, accountId, 'email_change')
  if (email === current) return { pendingEmail: null, tell: undefined }
  const link = await makeMailedLink(sql, school, { purpose: 'email_change', path: accountPaths.email, email, accountId })
  const [other] = await sql.query('SELECT 1 FROM account WHERE school_id = $1 AND email = $2', [school.id, email])
  const to = { email, locales: [locale] }
  return {
    pendingEmail: email,
    tell: (send) =>
      other
        ? send(school, to, 'email_change_known', { sign_in: addressOf(school, accountPaths.signIn) })
        : send(school, to, 'email_change', { link }),
  }
}

/** Which address the link confirms and whose it will be, or undefined where it is good for nothing. Changes nothing. */
export async function findEmailChange(sql: Sql, school: School, token: string): Promise<{ email: string; accountId: string } | undefined> {
  const link = await findMailedLink(sql, linkKey(school, 'email_change', token))
  return link?.account_id ? { email: link.email, accountId: link.account_id } : undefined
}

/** `taken`: another account got the address meanwhile. */
export type FinishedEmailChange = { outcome: 'changed' } | { outcome: 'taken' }

/**
 * Spends the link and changes the address, for the account that is signed in and no other. Links that went to the address before are
 * good for nothing from then on, and that address is told.
 */
export async function finishEmailChange(
  { database, send }: { database: Database; send: SendMessage },
  school: School,
  { token, accountId, language }: { token: string; accountId: string; language?: string | undefined },
): Promise<FinishedEmailChange | undefined> {
  const link = await findEmailChange(database.sql, school, token)
  if (link?.accountId !== accountId) return undefined
  const finished = await database
    .transaction((_writer, sql) => changeEmail(sql, school, { token, accountId }))
    .catch((error: unknown) => {
      // Two accounts confirmed the same address at once: the database lets one of them have it.
      if ((error as { code?: unknown }).code === '23505') return { outcome: 'taken' } as const
      throw error
    })
  if (finished?.outcome !== 'changed') return finished
  const { contactEmail, supportUrl } = await schoolContact(database.sql, school.id)
  const contact = contactEmail ?? supportUrl ?? school.issuer
  await send(school, { email: finished.before, locales: [finished.locale, language] }, 'email_changed', { contact })
  return { outcome: 'changed' }
}

async function changeEmail(
  sql: Sql,
  school: School,
  { token, accountId }: { token: string; accountId: string },
): Promise<{ outcome: 'changed'; before: string; locale: string | null } | { outcome: 'taken' } | undefined> {
  const link = await useMailedLink(sql, linkKey(school, 'email_change', token))
  if (!link) return undefined
  const { email } = link
  const key = [school.id, accountId]
  const [account] = await sql.query<{ email: string; pending_email: string | null; locale: string | null }>(
    'SELECT email, pending_email, locale FROM account WHERE school_id = $1 AND id = $2 AND disabled_at IS NULL FOR UPDATE',
    key,
  )
  if (account?.pending_email !== email) return undefined
  const [other] = await sql.query('SELECT 1 FROM account WHERE school_id = $1 AND email = $2', [school.id, email])
  await sql.query(
    `UPDATE account
        SET email = CASE WHEN $4 THEN email ELSE $3 END, email_verified = email_verified OR NOT $4, pending_email = NULL,
            updated_at = now(), version = version + 1
      WHERE school_id = $1 AND id = $2`,
    [...key, email, other !== undefined],
  )
  if (other) return { outcome: 'taken' }
  // The school may know somebody else by the new address: then their record keeps it.
  const people = await sql.query<ChangedPerson>(
    `UPDATE person SET email = $3, updated_at = now(), version = version + 1
      WHERE school_id = $1 AND account_id = $2 AND NOT EXISTS (SELECT 1 FROM person WHERE school_id = $1 AND email = $3)
      RETURNING ${changedPersonColumns}`,
    [...key, email],
  )
  await recordPersonChanges(sql, school.id, people)
  await voidMailedLinks(sql, school.id, accountId)
  return { outcome: 'changed', before: account.email, locale: account.locale }
}
