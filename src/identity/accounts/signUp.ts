import { accountPaths } from '../../base/accountPaths.ts'
import { newId } from '../../base/ids.ts'
import type { School } from '../../base/school.ts'
import { readableLine } from '../../base/text/visibleText.ts'
import type { SchoolDatabase, SchoolReader } from '../../database/connection/database.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import { now } from '../../database/statements/expressions.ts'
import { changedPerson, recordChanges, recordPersonChanges } from '../../database/tables/changeLog.ts'
import { findMailedLink, useMailedLink } from '../../database/tables/mailedLinks.ts'
import { recordSignUp } from './activation.ts'
import { createMailedLink, linkKey, pageUrl } from './createMailedLink.ts'

export interface SignUpRequest {
  /** As returned by `deliverableEmail`. */
  email: string
  /** As returned by `personName`. */
  name: string
  returnTo?: string | undefined
  /** The language of the sign-up page, which becomes the language of the account. */
  language?: string | undefined
}

/** Returns a name as accounts store it: one line of 1 to 120 characters. Undefined for any other text. */
export const personName = (typed: string): string | undefined => readableLine(typed, 120)

/**
 * Sends an e-mail to the address: with a link that creates the account, or with a notice that an account exists already. Creates no
 * account yet. Sends nothing to an address that may not have an account.
 */
export async function requestSignUp(
  { database, send }: { database: SchoolDatabase; send: SendMessage },
  school: School,
  { email, name, returnTo, language }: SignUpRequest,
): Promise<void> {
  const known = await database.kysely.selectFrom('account').select('locale').where('email', '=', email).executeTakeFirst()
  if (known) {
    const links = { sign_in: pageUrl(school, accountPaths.signIn), reset: pageUrl(school, accountPaths.forgottenPassword) }
    return send(database.kysely, school, { email, locales: [known.locale, language] }, 'sign_up_known', links)
  }
  if (!(await maySignUp(database.kysely, email))) return
  const payload = { name, ...(returnTo === undefined ? {} : { return_to: returnTo }), ...(language === undefined ? {} : { language }) }
  await database.transaction(async (writer) => {
    const link = await createMailedLink(writer, school, { purpose: 'sign_up', path: accountPaths.finishSignUp, email, payload })
    await send(writer, school, { email, locales: [language] }, 'sign_up', { link })
  })
}

/**
 * Returns the sign-up that the link completes, or undefined if the link is used, expired or of another school, or if its address may no
 * longer have an account. Does not use up the link.
 */
export async function findSignUp(database: SchoolReader, school: School, token: string): Promise<SignUpRequest | undefined> {
  const link = await findMailedLink(database, linkKey(school, 'sign_up', token))
  if (!link || !(await maySignUp(database, link.email))) return undefined
  return requestOf(link)
}

/** `taken`: an account with this address was created since the link was sent. */
export type FinishedSignUp = { outcome: 'created'; accountId: string } | { outcome: 'taken' }

/**
 * Uses up the link and creates the account. The link proves control of the address, so an existing person with this address is attached
 * to the account, with all their data. Otherwise a new person is created, who is a student and a member.
 */
export async function finishSignUp(
  database: SchoolDatabase,
  school: School,
  { token, passwordHash }: { token: string; passwordHash: string },
): Promise<FinishedSignUp | undefined> {
  return database.transaction(async (writer) => {
    const link = await useMailedLink(writer, linkKey(school, 'sign_up', token))
    if (!link || !(await maySignUp(writer, link.email))) return undefined
    const { email, name, language } = requestOf(link)
    const account = await writer
      .insertInto('account')
      .values({
        school_id: school.id,
        id: newId(),
        email,
        email_verified: true,
        name,
        password_hash: passwordHash,
        locale: language ?? null,
        last_sign_in_at: now,
      })
      .onConflict((conflict) => conflict.columns(['school_id', 'email']).doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!account) return { outcome: 'taken' }
    // If the person with this address has another account, they keep it, and the new account has no person.
    const people = await writer
      .insertInto('person')
      .values({
        school_id: school.id,
        id: newId(),
        account_id: account.id,
        email,
        name,
        is_student: true,
        is_member: true,
        joined_at: now,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['school_id', 'email'])
          .doUpdateSet((row) => ({
            account_id: row.ref('excluded.account_id'),
            updated_at: now,
            version: row('person.version', '+', 1),
          }))
          .where('person.account_id', 'is', null),
      )
      .returning(changedPerson)
      .execute()
    const action = people[0]?.version === 1 ? 'created' : 'updated'
    await recordPersonChanges(writer, people, { student: action, member: action })
    // Activates a staff invitation: the link proves that the address belongs to the person.
    const staff = await writer
      .updateTable('staff')
      .from('person')
      .set((row) => ({ status: 'active', accepted_at: now, updated_at: now, version: row('staff.version', '+', 1) }))
      .where('person.account_id', '=', account.id)
      .whereRef('staff.person_id', '=', 'person.id')
      .where('staff.status', '=', 'invited')
      .returning(['staff.id', 'staff.version'])
      .execute()
    await recordChanges(writer, { type: 'staff', action: 'activated' }, staff)
    await recordSignUp(writer, { accountId: account.id })
    return { outcome: 'created', accountId: account.id }
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

async function isOpenToSignUp(database: SchoolReader): Promise<boolean> {
  const school = await database.selectFrom('school').select('registration').where('id', '=', database.schoolId).executeTakeFirst()
  return school?.registration === 'open'
}

/**
 * Returns true if an account can be created with this address: any address at an open school; elsewhere the address of a person
 * without a login who was invited as staff, as a student or as a member.
 */
async function maySignUp(database: SchoolReader, email: string): Promise<boolean> {
  if (await isOpenToSignUp(database)) return true
  const invited = await database
    .selectFrom('person')
    .select('person.id')
    .where('person.email', '=', email)
    .where('person.account_id', 'is', null)
    .where((person) =>
      person.or([
        person.exists(person.selectFrom('staff').whereRef('staff.person_id', '=', 'person.id').where('staff.status', '=', 'invited')),
        person.and([person('person.is_student', '=', true), person('person.student_status', '=', 'invited')]),
        person.and([person('person.is_member', '=', true), person('person.member_status', '=', 'invited')]),
      ]),
    )
    .executeTakeFirst()
  return invited !== undefined
}
