import { findSignedIn, type SignedIn } from '../domain/signedIn.ts'
import type { ConsentingPerson, PagesArguments } from './pagesArguments.ts'

/** A person who is signed in, and may still be. */
export interface Consenting {
  person: ConsentingPerson
  signedIn: SignedIn
}

/** Who is asked, as of now; undefined where the account was disabled or removed since it signed in. */
export async function findConsenting(
  { database, findPerson }: PagesArguments,
  schoolId: string,
  accountId: string | undefined,
): Promise<Consenting | undefined> {
  if (accountId === undefined) return undefined
  const signedIn = await findSignedIn(database, schoolId, accountId)
  const person = signedIn && (await findPerson(schoolId, accountId))
  return person ? { person, signedIn } : undefined
}
