import type { Provider } from 'oidc-provider'
import type { Role } from '../../../base/caller.ts'
import type { Keyring } from '../../../base/keyring.ts'
import type { School } from '../../../base/school.ts'
import { grantContent } from '../../../database/tables/grants.ts'
import type { Grantable } from '../../apps/grantable.ts'
import { termsOf } from '../../apps/schoolAppRules.ts'
import type { AccountFacts, ClientFacts, GrantFacts } from '../../facts/loadFacts.ts'
import { accountIdOf, claimsOf } from '../claims.ts'
import { isAcceptedSecret, withAcceptedSecrets } from '../clientSecrets.ts'
import { formerIssuer } from '../formerIssuer.ts'
import { ownResources } from '../resourceIndicators.ts'
import type { SchoolRuntime } from '../runtimes.ts'
import { withinRole } from '../scopes.ts'
import { secondsAhead, shifted } from '../sharedTime.ts'
import { type CheckedToken, personOf, stoppedBy } from '../tokenChecks.ts'
import type { PlainRequest } from './plainRequest.ts'

/** A client as the engine reads it from its row. */
export type EngineClient = InstanceType<Provider['Client']>

export interface AnswerArguments {
  school: School
  runtime: SchoolRuntime
  keyring: Keyring
  grantable: Grantable
  /** Returns a client as the engine reads it; undefined if the engine rejects its metadata. */
  engineClient(facts: ClientFacts): Promise<EngineClient | undefined>
}

interface TokenPayload {
  kind?: string
  iat?: number
  exp?: number
  accountId?: string
  clientId?: string
  grantId?: string
  aud?: string
  scope?: string
}

/** The members of a token that the lane knows. A token with another one has a meaning that only the engine knows. */
const plainMembers: ReadonlySet<string> = new Set([
  ...['iat', 'exp', 'kind', 'accountId', 'clientId', 'grantId', 'gty', 'sessionUid', 'aud', 'scope'],
])

/** A valid token, and the rows that decide about it. */
interface PlainToken {
  payload: TokenPayload & Required<Pick<TokenPayload, 'exp' | 'accountId' | 'clientId' | 'scope'>>
  role: Role
  grant: GrantFacts
  account: AccountFacts
  client: ClientFacts
}

/** Returns the token if it is valid now and plain; undefined for every other one. */
function plainToken(checked: CheckedToken, { school, keyring }: AnswerArguments): PlainToken | undefined {
  const { found, facts } = checked
  const { grant, account, client } = facts
  const person = personOf(checked)
  if (!found || !grant || !account || !client || !person || stoppedBy(checked) !== undefined) return undefined
  if (found.payload === '' || found.consumedAt || formerIssuer(grant.payload, school.issuer) !== undefined) return undefined
  const payload: TokenPayload = shifted(JSON.parse(found.payload), -secondsAhead(keyring))
  const { kind, exp, accountId, clientId, grantId, scope } = payload
  if (kind !== 'AccessToken' || exp === undefined || accountId === undefined || clientId === undefined || !scope) return undefined
  if (Object.keys(payload).some((name) => !plainMembers.has(name))) return undefined
  if (clientId !== found.clientId || grantId !== found.grantId || accountIdOf(accountId) !== found.accountId) return undefined
  const now = Math.floor(Date.now() / 1000)
  const grantEnd = Math.floor(grant.expiresAt.getTime() / 1000) - secondsAhead(keyring)
  if (exp <= now || grantEnd <= now) return undefined
  return { payload: { ...payload, exp, accountId, clientId, scope }, role: person.role, grant, account, client }
}

/** Returns the body of the response; undefined if the engine has to decide. */
export async function plainAnswer(
  request: PlainRequest,
  checked: CheckedToken,
  args: AnswerArguments,
): Promise<Record<string, unknown> | undefined> {
  const token = plainToken(checked, args)
  if (!token) return undefined
  return request.endpoint === 'userinfo' ? await userinfo(token, args) : await introspection(request, { token, checked }, args)
}

async function userinfo(
  { payload, grant, account, client: facts }: PlainToken,
  { school, runtime: { provider }, engineClient }: AnswerArguments,
): Promise<Record<string, unknown> | undefined> {
  const scopes = new Set(payload.scope.split(' '))
  if (!scopes.has('openid') || (payload.aud !== undefined && !ownResources(school).includes(payload.aud))) return undefined
  const client = await engineClient(facts)
  if (!client || client.subjectType === 'pairwise' || client.userinfoSignedResponseAlg || client.userinfoEncryptedResponseAlg)
    return undefined
  const allowed = new provider.Grant({ ...grantContent(grant.payload, grant.expiresAt) })
  if (allowed.getRejectedOIDCClaims().length > 0) return undefined
  const claims = new provider.Claims(claimsOf(payload.accountId, account, school), { client })
  return await claims.scope(allowed.getOIDCScopeFiltered(scopes)).result()
}

async function introspection(
  { caller }: PlainRequest,
  { token, checked }: { token: PlainToken; checked: CheckedToken },
  { school, runtime: { mayIntrospect }, grantable, engineClient }: AnswerArguments,
): Promise<Record<string, unknown> | undefined> {
  const { payload, role, grant } = token
  const requester = checked.facts.caller
  if (!caller || !requester || requester.isDisabled || requester.id !== caller.clientId) return undefined
  const [client, holder] = [await engineClient(requester), await engineClient(token.client)]
  if (client?.tokenEndpointAuthMethod !== 'client_secret_post' || client.clientSecretExpiresAt || client.subjectType === 'pairwise')
    return undefined
  if (!holder || holder.subjectType === 'pairwise') return undefined
  const { client_secret: hashes } = withAcceptedSecrets(requester.metadata)
  if (typeof hashes !== 'string' || !isAcceptedSecret(caller.secret, hashes) || !mayIntrospect(requester.id, payload)) return undefined
  return {
    active: true,
    sub: payload.accountId,
    client_id: payload.clientId,
    exp: Math.min(payload.exp, Math.floor(grant.expiresAt.getTime() / 1000)),
    iat: payload.iat,
    iss: school.issuer,
    aud: payload.aud,
    scope: withinRole(payload.scope, grantable(role, termsOf(token.client))),
    token_type: 'Bearer',
  }
}
