import { grantTag } from '../../database/facts/fact.ts'
import type { FactChange } from '../../database/facts/factGuard.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { isAcceptedSecret } from './clientSecrets.ts'
import { type ClientRequest, entry, respondWithError } from './endpointHandler.ts'
import type { FoundWithVersions } from './keptFacts.ts'
import type { EngineClient } from './lane/plainAnswer.ts'
import { loadMintingFacts } from './mintingFacts.ts'
import { artifactName, remember, rememberKept } from './requestFacts.ts'
import { isSplit, revokeToken } from './stores.ts'
import { artifactKey } from './tokenTags.ts'

// The steps of the revocation endpoint: see clientEndpoints.ts.

/** The result of the first round trip. */
interface Begun {
  /** The mark that the grant of the token to revoke is about to change, and the tag of the grant. */
  change?: Promise<FactChange>
  tag?: string | undefined
  /** The token as an access token, and the versions of the rows that decide about it. Only with Redis. */
  found?: FoundWithVersions | undefined
}

/**
 * Looks the token up in Redis. The token names its grant, so the grant is marked as about to change in the same round trip. The hint may be
 * wrong or missing (RFC 7009 section 2.1), so both kinds of tokens are looked up.
 */
export async function prefetchRevocation({ ctx, args, exchange, admission, form, clientId }: ClientRequest): Promise<Begun> {
  const { stores, kept } = args
  const { school, isOwn } = ctx.state
  const value = form.get('token')
  const begun: Begun = {}
  const key = value === null ? undefined : artifactKey(school.id, 'AccessToken', value)
  const tag = key?.grantTag
  let finding: Promise<FoundWithVersions> | undefined
  await stores.ephemeral.together(() => {
    if (value !== null && key && isSplit(stores)) {
      // PostgreSQL cannot store another text, so no client has it as its id.
      finding = kept.find(key, clientId !== undefined && storableText(clientId) === clientId ? clientId : undefined)
      const token = finding.then(({ found }) => found)
      remember(exchange.facts.artifacts, artifactName('AccessToken', value), token)
    }
    if (tag !== undefined) begun.change = stores.facts.begin([{ schoolId: school.id, kind: 'grant', key: tag }])
    begun.change?.catch(() => undefined)
    return admission.count()
  })
  exchange.endingOf = (grantId) => ({
    audit: isOwn ? [] : [{ ...entry(ctx, 'token.revoked', exchange), grant_id: grantId }],
    begun: grantTag(school.id, grantId) === tag ? begun.change : undefined,
  })
  return { ...begun, tag, found: await finding?.catch(() => undefined) }
}

/** Parameters of a plain request. */
const plainNames: ReadonlySet<string> = new Set(['token', 'token_type_hint', 'client_id', 'client_secret'])

/**
 * Revokes a refresh token in one statement: its client is known and has authenticated, and the statement requires that the token is its own and
 * everything is live. Returns false otherwise, with nothing changed: then the engine decides.
 */
export async function revokePlainly(request: ClientRequest, { change, tag, found }: Begun): Promise<boolean> {
  const { ctx, args, exchange, form, clientId } = request
  const value = form.get('token')
  const isPlain =
    form.size === new Set(form.keys()).size && [...form.keys()].every((name) => plainNames.has(name)) && ctx.querystring === ''
  const hint = form.get('token_type_hint') ?? 'refresh_token'
  if (!isPlain || value === null || clientId === undefined || !change || tag === undefined || !found || found.found) return false
  if (hint !== 'refresh_token' || value.includes('.') || ctx.get('oauth-client-attestation') !== '' || ctx.get('origin') !== '')
    return false
  const { id: schoolId } = ctx.state.school
  const { provider } = await args.runtimes.get(ctx.state.school)
  rememberKept(exchange.facts, { clientId, accountId: undefined }, found.read)
  // An error of the engine is that of the client's metadata.
  const client = await args.exchanges.run(exchange, () => provider.Client.find(clientId)).catch(() => undefined)
  if (!client || !hasAuthenticated(client, form)) return false
  const audit = ctx.state.isOwn ? [] : [entry(ctx, 'token.revoked', exchange)]
  const token = { schoolId, id: artifactKey(schoolId, 'RefreshToken', value).id, clientId, grantTag: tag, audit }
  const grantId = await revokeToken(args.stores, token, change).catch((error: unknown) => {
    respondWithError(request, error)
    return null
  })
  if (grantId === undefined) return false
  if (grantId !== null) {
    ctx.status = 200
    ctx.vary('Origin')
    exchange.ended.set(grantId, Promise.resolve())
  }
  return true
}

/** True if the client has authenticated by its own method, which is its secret, or none for a public client. */
function hasAuthenticated(client: EngineClient, form: URLSearchParams): boolean {
  const secret = form.get('client_secret')
  if (client.tokenEndpointAuthMethod === 'none') return secret === null
  if (client.tokenEndpointAuthMethod !== 'client_secret_post' || !secret || client.clientSecretExpiresAt) return false
  return isAcceptedSecret(secret, client.clientSecret ?? '')
}

/** Reads what the engine needs. */
export async function readRevocationFacts({ ctx, args: { stores }, exchange, form, clientId }: ClientRequest): Promise<void> {
  const value = form.get('token')
  if (value === null) return
  const place = { stores, schoolId: ctx.state.school.id }
  await loadMintingFacts(exchange.facts, place, { presented: { model: 'RefreshToken', value }, clientId })
}

export async function respondToRevocation({ ctx, args: { count }, exchange }: ClientRequest, { change }: Begun): Promise<void> {
  // Clients ignore the content (RFC 7009 section 2.2), but some libraries parse it.
  if (ctx.status === 200) ctx.body = {}
  ctx.set('Cache-Control', 'no-store')
  if (exchange.ended.size === 0) {
    // If that fails, the mark expires soon.
    await change?.then((begun) => begun.end()).catch(() => undefined)
  } else if (ctx.status === 200 && !ctx.state.isOwn) count('token.revoked')
}
