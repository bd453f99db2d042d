import { findSignedIn, type SignedIn } from '../domain/signedIn.ts'
import { isSessionOver } from '../policy/browserSessions.ts'
import type { OpenInteraction } from './openInteraction.ts'
import type { ConsentingPerson, PagesArguments } from './pagesArguments.ts'

/** A person who is signed in, and may still be. */
export interface Consenting {
  person: ConsentingPerson
  signedIn: SignedIn
}

/** Who is asked, as of now; undefined where the account was disabled or removed, or ended its sessions, since it signed in. */
export async function findConsenting(
  { database, findPerson }: PagesArguments,
  schoolId: string,
  { accountId, signedInAt }: Pick<OpenInteraction, 'accountId' | 'signedInAt'>,
): Promise<Consenting | undefined> {
  if (accountId === undefined) return undefined
  const signedIn = await findSignedIn(database, schoolId, accountId)
  if (signedIn && isSessionOver(signedInAt, signedIn.sessions_valid_after)) return undefined
  const person = signedIn && (await findPerson(schoolId, accountId))
  return person ? { person, signedIn } : undefined
}
