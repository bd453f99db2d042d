import { putBodyBack } from '../../base/http/readBody.ts'
import { termsOf } from '../apps/schoolAppRules.ts'
import type { ClientRequest } from './endpointHandler.ts'
import type { Presented } from './engineTransaction.ts'
import { beginFind, loadMintingFacts } from './mintingFacts.ts'
import { artifactName, once } from './requestFacts.ts'
import { withinRole } from './scopes.ts'
import { type Granted, tokenEffect } from './tokenEffect.ts'

// The steps of the token endpoint, in their order: see clientEndpoints.ts.

export function presentedIn(form: URLSearchParams): Presented | undefined {
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const value = form.get(isRefresh ? 'refresh_token' : 'code')
  return value === null ? undefined : { model: isRefresh ? 'RefreshToken' : 'AuthorizationCode', value }
}

/**
 * Reads what the engine needs in as few round trips as possible. Counts the request first, unless a refresh is likely to be within the limit.
 * @returns when the access ended that the person gave with the presented refresh token
 */
export async function prefetch(request: ClientRequest, presented: Presented | undefined): Promise<Date | undefined> {
  const { ctx, admission, clientId } = request
  const { stores } = request.args
  const { facts } = request.exchange
  const place = { stores, schoolId: ctx.state.school.id }
  await stores.ephemeral.together(() => {
    if (presented) beginFind(facts, place, presented)
    return presented?.model === 'RefreshToken' && admission.isLikely ? undefined : admission.count()
  })
  return presented && (await loadMintingFacts(facts, place, { presented, clientId }))
}

/**
 * Sends the engine the scopes that the person allowed, of those that a refresh requests. If nothing is left, the engine refuses the scope
 * as it was sent.
 * @returns the members of an unused code or refresh token that decide about the effect of the request
 */
export async function narrowRequestedScope(
  { ctx, exchange: { facts }, form }: ClientRequest,
  presented: Presented | undefined,
): Promise<Granted | undefined> {
  if (!presented) return undefined
  const found = await facts.artifacts.get(artifactName(presented.model, presented.value))?.catch(() => undefined)
  if (!found) return undefined
  if (presented.model === 'AuthorizationCode') {
    if (found.consumedAt) return undefined
    const { resource }: Granted = JSON.parse(found.payload)
    return resource === undefined ? {} : { resource }
  }
  if (form.getAll('scope').length > 1) return undefined
  if (found.payload === '') {
    // The token was used: see tokenOutcome.ts, which reads the scope of the form. The engine would refuse some scopes before it looks for the token.
    const sent = new URLSearchParams(form)
    sent.delete('scope')
    putBodyBack(ctx.req, Buffer.from(sent.toString()))
    return undefined
  }
  const { scope: stored, resource }: Granted = JSON.parse(found.payload)
  const granted = { ...(stored !== undefined && { scope: stored }), ...(resource !== undefined && { resource }) }
  const { scope } = tokenEffect(form, granted)
  if (scope === '' || !form.has('scope') || form.get('scope') === scope) return granted
  form.set('scope', scope)
  putBodyBack(ctx.req, Buffer.from(form.toString()))
  return granted
}

/** Removes scopes that the role has lost or the school no longer allows from the new access token. The refresh token keeps them. */
export async function narrowIssuedScope({ ctx, args: { findPerson, grantable }, exchange, clientId = '' }: ClientRequest): Promise<void> {
  if (ctx.status !== 200 || exchange.redeemed?.key.model !== 'RefreshToken') return
  const token = exchange.saved.find(({ model }) => model === 'AccessToken')
  const id = token?.accountId
  const person = id === undefined ? undefined : await once(exchange.facts.people, id, () => findPerson(ctx.state.school.id, id))
  if (!token || !person) return
  const payload: { scope?: string } = JSON.parse(token.payload)
  const client = await exchange.facts.clients.get(clientId)
  const scope = withinRole(payload.scope, grantable(person.role, client && termsOf(client)))
  if (scope === payload.scope) return
  token.payload = JSON.stringify({ ...payload, scope })
  ctx.body = { ...(ctx.body as object), scope }
}
