import type { Account, Configuration } from 'oidc-provider'
import { fileUrl } from '../../base/fileUrl.ts'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import type { School } from '../../base/school.ts'
import { type AccountRow, findAccount } from '../../database/tables/accounts.ts'
import { isSessionOver } from '../signIn/browserSessions.ts'
import { once, type RequestFacts } from './requestFacts.ts'
import { orUnavailable, type Stores } from './stores.ts'

/** Returns the `sub` of a person: the account's id in the API. */
export const subjectOf = (accountId: string): string => toPublicId('acc', accountId)

export const accountIdOf = (subject: string): string | undefined => fromPublicId('acc', subject)

/** Claims of UserInfo and ID tokens by scope (OpenID Connect Core section 5.4). Both contain the same claims. */
export function claims({
  stores,
  school,
  facts,
  hasContexts,
}: {
  stores: Pick<Stores, 'database' | 'log'>
  facts(): RequestFacts | undefined
  school: School
  /** True if the school has authentication contexts, which `acr` names. */
  hasContexts: boolean
}): Pick<Configuration, 'claims' | 'conformIdTokenClaims' | 'findAccount'> {
  return {
    claims: {
      // Every ID token says when and how the person signed in.
      openid: ['sub', 'auth_time', 'amr', ...(hasContexts ? ['acr'] : [])],
      profile: ['name', 'given_name', 'family_name', 'picture', 'locale', 'zoneinfo', 'updated_at'],
      email: ['email', 'email_verified'],
    },
    conformIdTokenClaims: false,
    async findAccount(ctx, subject): Promise<Account | undefined> {
      const accountId = accountIdOf(subject)
      const account =
        accountId &&
        (await orUnavailable(
          stores,
          once(facts()?.accounts, accountId, () => findAccount(stores.database, school.id, accountId)),
        ))
      if (!account) return undefined
      // Tokens have no session: they end with their grant.
      const session = ctx.oidc?.session
      if (session?.accountId === subject && isSessionOver(session.loginTs, account.sessions_valid_after)) return undefined
      return { accountId: subject, claims: () => claimsOf(subject, account, school) }
    },
  }
}

/** Returns every claim about a person that is known. */
export function claimsOf(
  subject: string,
  account: AccountRow,
  school: School,
): { sub: string; [claim: string]: string | number | boolean } {
  const known: Record<string, string | number | boolean | null> = {
    sub: subject,
    name: account.name,
    given_name: account.given_name,
    family_name: account.family_name,
    picture: account.avatar && fileUrl(school, account.avatar),
    locale: account.locale,
    zoneinfo: account.time_zone,
    updated_at: Math.floor(account.updated_at.getTime() / 1000),
    email: account.email,
    email_verified: account.email_verified,
  }
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null)) as ReturnType<typeof claimsOf>
}
