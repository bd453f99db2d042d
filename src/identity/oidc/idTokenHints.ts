import { createPublicKey } from 'node:crypto'
import { compactVerify, type JWK } from 'jose'
import { errors, type Provider } from 'oidc-provider'

type Validate = Provider['IdToken']['validate']

export interface HintArguments {
  issuer: string
  keys: readonly JWK[]
  /** Returns a key of the school that is no longer published, if grants of its time can still exist. */
  findRetiredKey(kid: string): Promise<JWK | undefined>
}

/**
 * Returns the check of `id_token_hint`. Clients keep the ID token of the sign-in as long as their session, so a hint may be expired, and its
 * key may be retired and no longer published (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2).
 * It rejects with `login_required`: the handlers remove a wrong hint from every request but those with `prompt=none`.
 */
export function validateHint({ issuer, keys, findRetiredKey }: HintArguments): Validate {
  return async (hint, client) => {
    const kid = keyIdOf(hint)
    const key = kid === undefined ? undefined : (keys.find((jwk) => jwk.kid === kid) ?? (await findRetiredKey(kid)))
    const verified = key && (await verify(hint, key))
    const { iss, aud, sub } = verified?.payload ?? {}
    if (!verified || iss !== issuer || aud !== client.clientId || typeof sub !== 'string')
      throw new errors.LoginRequired('id_token_hint cannot be verified: leave it out, and the person signs in')
    return verified
  }
}

/** Returns the `kid` of a hint if it has the form of a thumbprint (RFC 7638). */
function keyIdOf(hint: string): string | undefined {
  const kid = parsePart(hint, 0)?.kid
  return typeof kid === 'string' && /^[\w-]{1,100}$/.test(kid) ? kid : undefined
}

async function verify(hint: string, key: JWK): Promise<{ header: Record<string, unknown>; payload: Record<string, unknown> } | undefined> {
  try {
    const { protectedHeader } = await compactVerify(hint, createPublicKey({ key: { ...key }, format: 'jwk' }), {
      algorithms: [key.alg ?? ''],
    })
    const payload = parsePart(hint, 1)
    return payload && { header: { ...protectedHeader }, payload }
  } catch {
    return undefined
  }
}

function parsePart(hint: string, index: number): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(hint.split('.', 3)[index] ?? '', 'base64url').toString())
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}

/**
 * Removes a hint that cannot be verified from the parameters of an authorization, unless it is silent: that must not answer for another
 * person.
 */
export async function removeWrongHint(provider: Provider, query: URLSearchParams): Promise<void> {
  const [hint, ...more] = query.getAll('id_token_hint')
  // The engine refuses repeated parameters.
  if (hint === undefined || more.length > 0 || query.get('prompt') === 'none') return
  if (!(await isVerified(provider, hint, query.get('client_id')))) query.delete('id_token_hint')
}

/**
 * Returns the parameters of a sign-out without those that are wrong, for which the engine would end it with an error: repeated ones, a hint
 * that cannot be verified, an unknown client, and an address that the client has not registered.
 */
export async function trustedSignOut(provider: Provider, sent: URLSearchParams): Promise<URLSearchParams> {
  const trusted = new URLSearchParams([...sent].filter(([name, value]) => value !== '' && sent.getAll(name).length === 1))
  const [hint, clientId] = [trusted.get('id_token_hint'), trusted.get('client_id')]
  const isHint = hint !== null && (await isVerified(provider, hint, clientId))
  const client = await findClient(provider, clientId ?? (isHint ? audienceOf(hint) : undefined))
  const target = trusted.get('post_logout_redirect_uri')
  if (!isHint) trusted.delete('id_token_hint')
  if (!client) trusted.delete('client_id')
  if (target !== null && !client?.postLogoutRedirectUriAllowed(target)) trusted.delete('post_logout_redirect_uri')
  return trusted
}

/** Returns true if a hint is an ID token of a client of this school: of `clientId`, if the request names one. */
async function isVerified(provider: Provider, hint: string, clientId: string | null): Promise<boolean> {
  const client = await findClient(provider, clientId ?? audienceOf(hint))
  if (!client) return false
  try {
    await provider.IdToken.validate(hint, client)
    return true
  } catch (error) {
    if (error instanceof errors.LoginRequired) return false
    throw error
  }
}

const audienceOf = (hint: string): unknown => parsePart(hint, 1)?.aud

async function findClient(provider: Provider, id: unknown): ReturnType<Provider['Client']['find']> {
  if (typeof id !== 'string') return undefined
  try {
    return await provider.Client.find(id)
  } catch (error) {
    if (error instanceof errors.InvalidClient) return undefined
    throw error
  }
}
