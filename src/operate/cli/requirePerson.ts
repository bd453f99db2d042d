import { normaliseEmail } from '../../base/text/emailAddress.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { accountIdOf } from '../../identity/oidc/claims.ts'
import { type ListedPerson, listPeople } from '../../school/people/people.ts'
import { failure, usage } from './failures.ts'

/**
 * Returns the person with an e-mail address or an id such as `acc_…`.
 * @throws CommanderError if the school does not have this person
 */
export async function requirePerson(rows: SchoolReader, named: string): Promise<ListedPerson> {
  const accountId = accountIdOf(named)
  const email = accountId === undefined ? normaliseEmail(named) : undefined
  if (accountId === undefined && email === undefined)
    throw usage(`${named} is neither an e-mail address nor an account id (acc_ and 26 characters)`)
  const [person] = await listPeople(rows, {
    ...(accountId ? { accountId } : {}),
    ...(email ? { email } : {}),
  })
  if (!person) throw failure(`no login exists for ${named}: see people list`)
  return person
}
