import type { Context } from 'koa'
import { findSignedIn, type SignedIn } from '../domain/accounts/signedIn.ts'
import { isSessionOver } from '../policy/browserSessions.ts'
import type { School } from '../policy/school.ts'
import type { LanguageState } from './language.ts'
import type { OpenInteraction } from './openInteraction.ts'
import type { ConsentingPerson, PagesArguments } from './pagesArguments.ts'

/** A person who is signed in, and may still be. */
export interface Consenting {
  person: ConsentingPerson
  signedIn: SignedIn
}

/** Who is asked, as of now; undefined where the account was disabled or removed, or ended its sessions, since it signed in. */
export async function findConsenting(
  ctx: Context,
  { database, findPerson }: PagesArguments,
  { accountId, signedInAt }: Pick<OpenInteraction, 'accountId' | 'signedInAt'>,
): Promise<Consenting | undefined> {
  if (accountId === undefined) return undefined
  const { id: schoolId } = (ctx.state as { school: School }).school
  const signedIn = await findSignedIn(database, schoolId, accountId)
  if (signedIn && isSessionOver(signedInAt, signedIn.sessions_valid_after)) return undefined
  Object.assign(ctx.state, { accountLocale: signedIn?.locale ?? null } satisfies LanguageState)
  const person = signedIn && (await findPerson(schoolId, accountId))
  return person ? { person, signedIn } : undefined
}
