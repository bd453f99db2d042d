import { normaliseEmail } from '../domain/accounts/emailAddress.ts'
import { type ListedPerson, listPeople } from '../domain/people/people.ts'
import { accountIdOf } from '../oidc/claims.ts'
import type { Database } from '../store/database.ts'
import { failure, usage } from './failures.ts'

/**
 * The person whom an address, or an id such as `acc_…`, names.
 * @throws CommanderError where it names nobody of the school
 */
export async function requirePerson(database: Database, schoolId: string, named: string): Promise<ListedPerson> {
  const accountId = accountIdOf(named)
  const email = accountId === undefined ? normaliseEmail(named) : undefined
  if (accountId === undefined && email === undefined)
    throw usage(`${named} is neither an e-mail address nor an account id (acc_ and 26 characters)`)
  const [person] = await listPeople(database.kysely, schoolId, { ...(accountId ? { accountId } : {}), ...(email ? { email } : {}) })
  if (!person) throw failure(`nobody signs in as ${named}: see people list`)
  return person
}
