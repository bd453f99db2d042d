import { type AccountRow, findAccount } from '../database/tables/accounts.ts'
import { findClient } from '../database/tables/clients.ts'
import { findPerson } from '../identity/accounts/findPerson.ts'
import { type AppTerms, termsOf } from '../identity/apps/schoolAppRules.ts'
import { type KnownClient, once } from '../identity/oidc/requestFacts.ts'
import { appTerms } from '../school/apps/changeAppRules.ts'
import type { ConsentingPerson, PageServices } from './pagesArguments.ts'

// Rows that a request to the engine has read are not read again.

type Known = Pick<PageServices, 'databaseOf' | 'exchange'>

export const knownAccount = ({ databaseOf, exchange }: Known, schoolId: string, id: string): Promise<AccountRow | undefined> =>
  once(exchange()?.facts.accounts, id, () => findAccount(databaseOf(schoolId).kysely, schoolId, id))

/** Finds the person of an account, with their current role. */
export const knownPerson = ({ databaseOf, exchange }: Known, schoolId: string, accountId: string): Promise<ConsentingPerson | undefined> =>
  once(exchange()?.facts.people, accountId, () => findPerson(databaseOf(schoolId).kysely, accountId))

export const knownClient = ({ databaseOf, exchange }: Known, schoolId: string, id: string): Promise<KnownClient | undefined> =>
  once(exchange()?.facts.clients, id, () => findClient(databaseOf(schoolId).kysely, schoolId, id))

/** Returns the rules of the school, as they apply to a client. */
export async function knownTerms(known: Known, schoolId: string, clientId: string): Promise<AppTerms> {
  const client = await knownClient(known, schoolId, clientId)
  return client ? termsOf(client) : await appTerms(known.databaseOf(schoolId).kysely, clientId)
}
