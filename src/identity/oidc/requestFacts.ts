import type { AccountRow } from '../../database/tables/accounts.ts'
import type { ClientRow } from '../../database/tables/clients.ts'
import { grantContent } from '../../database/tables/grants.ts'
import type { RuledClient } from '../apps/schoolAppRules.ts'
import type { FactIds, TokenFacts } from '../facts/loadFacts.ts'
import type { FoundArtifact } from '../tokens/artifacts.ts'
import type { FoundWithVersions } from './keptFacts.ts'
import { activePerson, type CheckedToken, isActive, type PersonNow, personOf, stoppedBy } from './tokenChecks.ts'

/** Rows by id. A promise of undefined means that the row does not exist. */
export type Memo<Row> = Map<string, Promise<Row | undefined>>

/**
 * The rows that were read for one request. The engine asks for the same rows several times: each is loaded once, or in one statement with
 * others before the engine runs.
 */
export interface RequestFacts {
  artifacts: Memo<FoundArtifact>
  clients: Memo<KnownClient>
  grants: Memo<Record<string, unknown>>
  accounts: Memo<AccountRow>
  people: Memo<PersonNow>
  /** Returns the rows that decide about the interaction of the request: see `KeptFacts`. */
  readInteraction?: FoundWithVersions['read']
  /** True if rows may be from memory: then the request issues no code. */
  isKept?: boolean
}

export type KnownClient = Pick<ClientRow, 'metadata' | 'created_at'> & RuledClient

export const newRequestFacts = (): RequestFacts => ({
  artifacts: new Map(),
  clients: new Map(),
  grants: new Map(),
  accounts: new Map(),
  people: new Map(),
})

export const artifactName = (model: string, value: string): string => `${model} ${value}`

export function once<Row>(memo: Memo<Row> | undefined, id: string, load: () => Promise<Row | undefined>): Promise<Row | undefined> {
  const known = memo?.get(id)
  if (known !== undefined) return known
  const loading = load()
  if (memo) remember(memo, id, loading)
  return loading
}

/** Forgets what was read of one model, because it is written. */
export function forgetModel(facts: RequestFacts | undefined, model: string): void {
  for (const name of facts?.artifacts.keys() ?? []) if (name.startsWith(`${model} `)) facts?.artifacts.delete(name)
}

/** Keeps a row for the rest of the request. A failure is reported to those that ask for the row. */
export function remember<Row>(memo: Memo<Row>, id: string, row: Promise<Row | undefined>): void {
  row.catch(() => undefined)
  memo.set(id, row)
}

/** Keeps what the check of an access token has read, so that the engine reads none of it again. */
export function rememberChecked(rows: RequestFacts, value: string, checked: CheckedToken): void {
  const { artifacts, clients, grants, accounts, people } = rows
  const { found, facts } = checked
  artifacts.set(artifactName('AccessToken', value), Promise.resolve(found))
  for (const client of [facts.client, facts.caller]) {
    if (client) clients.set(client.id, Promise.resolve(client.isDisabled ? undefined : client))
  }
  if (!found) return
  // A value is an access token or a refresh token.
  artifacts.set(artifactName('RefreshToken', value), Promise.resolve(undefined))
  const { grantId, clientId, accountId } = found
  if (clientId !== null && !facts.client) clients.set(clientId, Promise.resolve(undefined))
  const { grant, account } = facts
  const isLive = grant !== undefined && !grant.isRevoked && grant.expiresAt.getTime() > Date.now()
  if (grantId !== null) grants.set(grantId, Promise.resolve(isLive ? grantContent(grant.payload, grant.expiresAt) : undefined))
  if (accountId === null) return
  accounts.set(accountId, Promise.resolve(isActive(account) ? account : undefined))
  // A token of a paused app is inactive at introspection.
  people.set(accountId, Promise.resolve(stoppedBy(checked) === undefined ? personOf(checked) : undefined))
}

/** Starts to read a client and an account, from memory if they are current there. The pages and the engine ask for them. */
export function rememberKept(
  facts: RequestFacts,
  { clientId, accountId }: { clientId: string; accountId: string | undefined },
  read: (ids: Pick<FactIds, 'accountId' | 'callerId'>) => Promise<TokenFacts>,
): void {
  facts.isKept = true
  const reading = read({ callerId: clientId, accountId })
  const client = reading.then(({ caller }) => (caller?.isDisabled ? undefined : caller))
  remember(facts.clients, clientId, client)
  if (accountId === undefined) return
  const account = reading.then((found) => (found.account?.isDisabled ? undefined : found.account))
  remember(facts.accounts, accountId, account)
  const person = reading.then((found) => activePerson(found.account))
  remember(facts.people, accountId, person)
}
