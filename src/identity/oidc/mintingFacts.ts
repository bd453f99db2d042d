import type { AdapterPayload, InteractionResults } from 'oidc-provider'
import { storableText } from '../../database/statements/storableText.ts'
import type { MintingFacts } from '../tokens/mintingRows.ts'
import { accountIdOf } from './claims.ts'
import type { Presented } from './engineTransaction.ts'
import { artifactName, type RequestFacts, remember, rememberKept } from './requestFacts.ts'
import { isSplit, type Stores } from './stores.ts'
import type { PersonNow } from './tokenChecks.ts'
import { artifactKey } from './tokenTags.ts'

/** Starts to look up a presented code or token in Redis. Without Redis it is read together with its grant. */
export function beginFind(
  facts: RequestFacts,
  { stores, schoolId }: { stores: Stores; schoolId: string },
  { model, value }: Presented,
): void {
  if (!isSplit(stores) || model === 'RefreshToken') return
  remember(facts.artifacts, artifactName(model, value), stores.ephemeral.find(artifactKey(schoolId, model, value)))
}

/**
 * Reads what the engine is going to ask for in one statement: the client of the form, the presented token, its grant, its account and the
 * current role. A failure is reported when the engine asks.
 * @returns when the access ended that the person gave with the presented refresh token
 */
export async function loadMintingFacts(
  facts: RequestFacts,
  { stores, schoolId }: { stores: Stores; schoolId: string },
  { presented, clientId: sent }: { presented: Presented; clientId: string | undefined },
): Promise<Date | undefined> {
  const name = artifactName(presented.model, presented.value)
  const elsewhere = facts.artifacts.get(name)
  const found = await elsewhere?.catch(() => undefined)
  // PostgreSQL cannot store other texts, so no client has them as its id.
  const clientId = sent !== undefined && storableText(sent) === sent ? sent : undefined

  const loading = stores.durable.mintingFacts({
    schoolId,
    clientId,
    // Also if it is in Redis: the database knows whether a code was used.
    artifact: artifactKey(schoolId, presented.model, presented.value),
    grantId: found?.grantId ?? undefined,
    accountId: found?.accountId ?? undefined,
  })
  if (clientId !== undefined) remember(facts.clients, clientId, member(loading, 'client'))
  const stored = member(loading, 'artifact')
  // The row of a used code names no client if a process of the release before wrote it.
  const code = elsewhere && Promise.all([stored, elsewhere]).then(([used, unused]) => (used?.clientId ? used : unused))
  remember(facts.artifacts, name, code ?? stored)
  const loaded = await loading.catch(() => undefined)
  if (loaded?.grantId !== undefined) remember(facts.grants, loaded.grantId, Promise.resolve(loaded.grant))
  if (loaded?.accountId !== undefined) {
    remember(facts.accounts, loaded.accountId, Promise.resolve(loaded.account))
    remember(facts.people, loaded.accountId, Promise.resolve(personOf(loaded.accountId, loaded.person)))
  }
  return presented.model === 'RefreshToken' ? (loaded?.grantEndedAt ?? undefined) : undefined
}

/** The rows that decide about a waiting authorization request. */
interface DecidingIds {
  clientId: string
  accountId: string | undefined
  grantId: string | undefined
}

/** Returns the ids in the payload of an interaction; undefined if it names no client. */
export function decidingIds(payload: AdapterPayload): DecidingIds | undefined {
  const { params, session, result } = payload as {
    params?: { client_id?: unknown } | undefined
    session?: { accountId?: string | undefined } | undefined
    result?: InteractionResults | undefined
  }
  const clientId = params?.client_id
  const subject = result?.login?.accountId ?? session?.accountId
  if (typeof clientId !== 'string') return undefined
  return { clientId, accountId: subject === undefined ? undefined : accountIdOf(subject), grantId: result?.consent?.grantId }
}

/**
 * Starts to read the client of a waiting authorization request, the account that signs in and the grant that it gave, in one statement. The
 * pages and the engine ask for them. Only a request with a grant leads to a code: for the others, the rows may come from memory.
 */
export function loadInteractionFacts(
  facts: RequestFacts,
  { stores, schoolId }: { stores: Stores; schoolId: string },
  { clientId, accountId, grantId }: DecidingIds,
): void {
  if (facts.clients.has(clientId)) return
  if (grantId === undefined && facts.readInteraction) {
    rememberKept(facts, { clientId, accountId }, facts.readInteraction)
    return
  }
  const loading = stores.durable.mintingFacts({ schoolId, clientId, grantId, accountId })
  remember(facts.clients, clientId, member(loading, 'client'))
  if (grantId !== undefined) remember(facts.grants, grantId, member(loading, 'grant'))
  if (accountId === undefined) return
  remember(facts.accounts, accountId, member(loading, 'account'))
  const person = loading.then((loaded) => personOf(accountId, loaded.person))
  remember(facts.people, accountId, person)
}

const member = <Name extends keyof MintingFacts>(loading: Promise<MintingFacts>, name: Name): Promise<MintingFacts[Name]> =>
  loading.then((loaded) => loaded[name])

const personOf = (accountId: string, person: MintingFacts['person']) =>
  person && { accountId, ...person, role: (person.role ?? 'learner') as PersonNow['role'] }
