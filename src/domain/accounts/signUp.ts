import { newId } from '../../lib/ids.ts'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { SendMessage } from '../../policy/messages.ts'
import type { School } from '../../policy/school.ts'
import { recordChanges } from '../../store/changeLog.ts'
import type { Database } from '../../store/database.ts'
import { findMailedLink, useMailedLink } from '../../store/mailedLinks.ts'
import { type ChangedPerson, changedPersonColumns, recordPersonChanges } from '../../store/personChanges.ts'
import type { Sql } from '../../store/sql.ts'
import { recordSignIn } from '../students/invitations.ts'
import { addressOf, linkKey, makeMailedLink } from './mailedLinks.ts'
import { maySignUp } from './signUpAllowed.ts'

/** What a person said when they asked for an account. */
export interface SignUpRequest {
  /** As `mailAddress` answers it. */
  email: string
  /** As `personName` answers it. */
  name: string
  /** Where the person wanted to go, as a path that was checked. */
  returnTo?: string | undefined
  /** The language of the page that they asked on, which the account begins with. */
  language?: string | undefined
}

/** A name as accounts keep it: one line of 1 to 120 characters; undefined where it is none. */
export function personName(typed: string): string | undefined {
  const name = typed
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cs}]/gu, '')
    .normalize('NFC')
    .trim()
  return name !== '' && [...name].length <= 120 ? name : undefined
}

/**
 * Writes to the address: a link that makes the account, or, to one that has an account, that there is one. Nothing is made yet.
 * Nothing is written to an address that may have no account.
 */
export async function requestSignUp(
  { database, send }: { database: Database; send: SendMessage },
  school: School,
  { email, name, returnTo, language }: SignUpRequest,
): Promise<void> {
  const { sql } = database
  const [known] = await sql.query<{ locale: string | null }>('SELECT locale FROM account WHERE school_id = $1 AND email = $2', [
    school.id,
    email,
  ])
  if (known) {
    const links = { sign_in: addressOf(school, accountPaths.signIn), reset: addressOf(school, accountPaths.forgottenPassword) }
    return send(school, { email, locales: [known.locale, language] }, 'sign_up_known', links)
  }
  if (!(await maySignUp(sql, school.id, email))) return
  const payload = { name, ...(returnTo === undefined ? {} : { return_to: returnTo }), ...(language === undefined ? {} : { language }) }
  const link = await makeMailedLink(sql, school, { purpose: 'sign_up', path: accountPaths.finishSignUp, email, payload })
  return send(school, { email, locales: [language] }, 'sign_up', { link })
}

/**
 * What the link was made for, or undefined where it was used, has expired, is another school's, or where its address may have no
 * account any more. Changes nothing.
 */
export async function findSignUp(sql: Sql, school: School, token: string): Promise<SignUpRequest | undefined> {
  const link = await findMailedLink(sql, linkKey(school, 'sign_up', token))
  if (!link || !(await maySignUp(sql, school.id, link.email))) return undefined
  return requestOf(link)
}

/** `taken`: the address got an account since the link was sent. */
export type FinishedSignUp = { outcome: 'made'; accountId: string } | { outcome: 'taken' }

/**
 * Spends the link and makes the account. Whoever holds the link holds the address: the person whom the school knows by it becomes the
 * account's, with everything that stands in their name; otherwise there is somebody new, who is a student and a member.
 */
export async function finishSignUp(
  database: Database,
  school: School,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<FinishedSignUp | undefined> {
  return database.transaction(async (writer, sql) => {
    const link = await useMailedLink(sql, linkKey(school, 'sign_up', token))
    if (!link || !(await maySignUp(sql, school.id, link.email))) return undefined
    const { email, name, language } = requestOf(link)
    const [account] = await sql.query<{ id: string }>(
      `INSERT INTO account (school_id, id, email, email_verified, name, password_hash, locale) VALUES ($1, $2, $3, true, $4, $5, $6)
       ON CONFLICT (school_id, email) DO NOTHING RETURNING id`,
      [school.id, newId(), email, name, passwordHash, language ?? null],
    )
    if (!account) return { outcome: 'taken' }
    // A person by that address who has another account keeps it: the new one is then nobody's.
    const people = await sql.query<ChangedPerson>(
      `INSERT INTO person (school_id, id, account_id, email, name, is_student, is_member, joined_at)
       VALUES ($1, $2, $3, $4, $5, true, true, now())
       ON CONFLICT (school_id, email) DO UPDATE
         SET account_id = excluded.account_id, updated_at = now(), version = person.version + 1
       WHERE person.account_id IS NULL
       RETURNING ${changedPersonColumns}`,
      [school.id, newId(), account.id, email, name],
    )
    const created = people[0]?.version === 1 ? 'created' : 'updated'
    await recordPersonChanges(sql, school.id, people, { student: created, member: created })
    // Who was invited to work here does so from now on: the link has shown that the address is theirs.
    const staff = await sql.query<{ id: string; version: number }>(
      `UPDATE staff SET status = 'active', accepted_at = now(), updated_at = now(), version = staff.version + 1
         FROM person WHERE person.school_id = $1 AND person.account_id = $2
          AND staff.school_id = $1 AND staff.person_id = person.id AND staff.status = 'invited'
          RETURNING staff.id, staff.version`,
      [school.id, account.id],
    )
    await recordChanges(sql, { school_id: school.id, type: 'staff', action: 'activated' }, staff)
    await recordSignIn(writer, { schoolId: school.id, accountId: account.id })
    return { outcome: 'made', accountId: account.id }
  })
}

function requestOf({ email, payload }: { email: string; payload: Record<string, unknown> }): SignUpRequest {
  const { name, return_to: returnTo, language } = payload
  return {
    email,
    name: String(name),
    returnTo: typeof returnTo === 'string' ? returnTo : undefined,
    language: typeof language === 'string' ? language : undefined,
  }
}
