import { accountPaths } from '../../base/accountPaths.ts'
import type { PersonCaller } from '../../base/caller.ts'
import { hash } from '../../base/keyring.ts'
import { Problem } from '../../base/problem.ts'
import { type Caches, createCaches } from '../../base/process/caches.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { termsOf } from '../apps/schoolAppRules.ts'
import type { TokenFacts } from '../facts/loadFacts.ts'
import type { FoundArtifact } from '../tokens/artifacts.ts'
import type { KeptFacts } from './keptFacts.ts'
import { orUnavailable, type Stores } from './stores.ts'
import { artifactKey } from './tokenTags.ts'

/** An access token as it was presented, and the current rows that decide about it. */
export interface CheckedToken {
  found: FoundArtifact | undefined
  facts: TokenFacts
}

/** The client and the account that a token was issued to. They never change. */
export interface TokenHolder {
  clientId: string
  accountId: string
}

export interface TokenChecks {
  /**
   * Looks up an access token, its grant, client and account, and the client that asks about it. With Redis this is one round trip if
   * nothing has changed recently, and one statement more otherwise.
   */
  check(schoolId: string, value: string, callerId?: string): Promise<CheckedToken>
  /** Returns the holder of a token that this process has checked before. The token may have been revoked since. */
  holderOf(schoolId: string, value: string): TokenHolder | undefined
}

export interface TokenChecksArguments {
  caches?: Caches
  stores: Pick<Stores, 'log'>
  kept: KeptFacts
}

export function createTokenChecks({ caches = createCaches(), stores, kept }: TokenChecksArguments): TokenChecks {
  const holders = caches.create<TokenHolder>('token_holders')
  return {
    async check(schoolId, value, callerId) {
      // PostgreSQL cannot store another text, so no client has it as its id.
      const storable = callerId !== undefined && storableText(callerId) === callerId ? callerId : undefined
      const checking = kept.find(artifactKey(schoolId, 'AccessToken', value), storable).then(async ({ found, read }) => {
        const ids = {
          grantId: found?.grantId ?? undefined,
          clientId: found?.clientId ?? undefined,
          accountId: found?.accountId ?? undefined,
          callerId: storable,
        }
        if (!found && storable === undefined) return { found, facts: {} }
        return { found, facts: await read(ids) }
      })
      const checked = await orUnavailable(stores, checking)
      const { clientId, accountId } = checked.found ?? {}
      if (clientId && accountId) holders.set(`${schoolId} ${hash(value)}`, { clientId, accountId })
      return checked
    },
    holderOf: (schoolId, value) => holders.get(`${schoolId} ${hash(value)}`),
  }
}

export type PersonNow = Pick<PersonCaller, 'accountId' | 'personId' | 'lecturerId' | 'role'>

/** Returns the person behind a token, with the current role: undefined unless grant, client and account are all alive. */
export function personOf({
  found,
  facts: { grant, client, account },
}: Pick<CheckedToken, 'facts'> & { found: Pick<FoundArtifact, 'clientId' | 'accountId'> | undefined }): PersonNow | undefined {
  if (!found || !grant || grant.isRevoked || grant.expiresAt.getTime() <= Date.now()) return undefined
  if (grant.clientId !== found.clientId || grant.accountId !== found.accountId) return undefined
  return client && !client.isDisabled ? activePerson(account) : undefined
}

/** Returns the person of an account; undefined if it is not active. */
export function activePerson(account: TokenFacts['account']): PersonNow | undefined {
  if (!isActive(account)) return undefined
  const { id: accountId, personId, lecturerId, role } = account
  return { accountId, personId, lecturerId, role }
}

/** Why the calls of an app are refused while its tokens stay valid. `rules`: the school allows no such app. */
export type Stopped = 'paused by school' | 'paused by person' | 'awaited' | 'rules'

/** Returns why the calls with a token are refused for now; undefined if they are not. */
export function stoppedBy({ facts: { grant, client } }: Pick<CheckedToken, 'facts'>): Stopped | undefined {
  if (client?.isPaused) return 'paused by school'
  const access = client && termsOf(client).access
  if (access === 'none') return 'rules'
  if (access === 'awaited') return 'awaited'
  return grant?.isPaused ? 'paused by person' : undefined
}

const kept = 'Nothing is lost: keep the tokens, and repeat the request when'

const stopped: Record<Stopped, (issuer: string) => string> = {
  'paused by school': () => `The school has paused this app. ${kept} an owner or admin of the school has continued the app.`,
  'paused by person': (issuer) => `The person has paused this app. ${kept} they have continued it at ${issuer}${accountPaths.apps}.`,
  awaited: (issuer) =>
    `An owner of the school has to agree to this app first, at ${issuer}${accountPaths.schoolApps}. ${kept} they have agreed.`,
  rules: () => 'The school allows no apps that register themselves. Nothing is lost, but only an owner of the school can change this.',
}

/** @throws Problem access_denied if the app of the token is paused, or not allowed at the school */
export function refuseStopped(checked: CheckedToken, issuer: string): void {
  const by = stoppedBy(checked)
  if (by !== undefined) throw new Problem('access_denied', { description: stopped[by](issuer) })
}

/** True if the account is neither disabled nor due for deletion. */
export function isActive(account: TokenFacts['account']): account is NonNullable<TokenFacts['account']> {
  if (!account || account.isDisabled) return false
  return account.deletionScheduledAt === null || account.deletionScheduledAt.getTime() > Date.now()
}
