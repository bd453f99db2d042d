import type { Reader } from '../../database/connection/database.ts'
import type { FactCache, Reading } from '../../database/facts/factCache.ts'
import type { FactVersions } from '../../database/facts/factVersions.ts'
import { type AccountFacts, type ClientFacts, type GrantFacts, loadFacts, type TokenFacts } from './loadFacts.ts'

/** The ids that a token names, and the client that asks about it. */
export interface FactIds {
  grantId?: string | undefined
  clientId?: string | undefined
  accountId?: string | undefined
  callerId?: string | undefined
}

export interface FactQuestion {
  schoolId: string
  ids: FactIds
  versions: FactVersions
  reading: Reading
}

/** Returns the facts that a request needs: from memory if all of them are current there, otherwise from the database in one statement. */
export async function readFacts(db: Reader, cache: FactCache, question: FactQuestion): Promise<TokenFacts> {
  return fromMemory(cache, question) ?? (await fromDatabase(db, cache, question))
}

const nameOf = (kind: 'grant' | 'client' | 'account', schoolId: string, id: string): string => `${kind} ${schoolId} ${id}`

function fromMemory(cache: FactCache, { schoolId, ids, versions, reading }: FactQuestion): TokenFacts | undefined {
  const kept = <Value extends object>(kind: 'grant' | 'client' | 'account', id: string | undefined, version: string | undefined) =>
    id === undefined ? undefined : cache.get<Value>(nameOf(kind, schoolId, id), version, reading)
  const facts: TokenFacts = {
    grant: kept<GrantFacts>('grant', ids.grantId, versions.grant),
    client: kept<ClientFacts>('client', ids.clientId, versions.client),
    account: kept<AccountFacts>('account', ids.accountId, versions.account),
    caller: kept<ClientFacts>('client', ids.callerId, versions.caller),
  }
  const isWhole =
    (ids.grantId === undefined || isStillAlive(facts.grant)) &&
    (ids.clientId === undefined || facts.client !== undefined) &&
    (ids.accountId === undefined || facts.account !== undefined) &&
    (ids.callerId === undefined || facts.caller !== undefined)
  return isWhole ? facts : undefined
}

/** True if the grant has not ended by what this process knows. Otherwise the database is asked. */
const isStillAlive = (grant: GrantFacts | undefined): boolean => grant !== undefined && grant.expiresAt.getTime() > Date.now()

async function fromDatabase(db: Reader, cache: FactCache, { schoolId, ids, versions, reading }: FactQuestion): Promise<TokenFacts> {
  const { grant, client, account, caller } = await loadFacts(db, schoolId, { grantId: ids.grantId, callerId: ids.callerId })
  // The versions belong to what the token names.
  const facts: TokenFacts = {
    grant,
    client: client?.id === ids.clientId ? client : undefined,
    account: account?.id === ids.accountId ? account : undefined,
    caller,
  }
  if (facts.grant) cache.keep(nameOf('grant', schoolId, facts.grant.id), versions.grant, reading, facts.grant)
  if (facts.client) cache.keep(nameOf('client', schoolId, facts.client.id), versions.client, reading, facts.client)
  if (facts.account) cache.keep(nameOf('account', schoolId, facts.account.id), versions.account, reading, facts.account)
  if (caller) cache.keep(nameOf('client', schoolId, caller.id), versions.caller, reading, caller)
  return facts
}
