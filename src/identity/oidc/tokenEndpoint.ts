import { putBodyBack } from '../../base/http/readBody.ts'
import { termsOf } from '../apps/schoolAppRules.ts'
import { type ClientRequest, entry, respondWithError } from './endpointHandler.ts'
import { commit } from './engineTransaction.ts'
import { beginFind, loadMintingFacts } from './mintingFacts.ts'
import { type RefreshPayload, refreshEffect } from './refreshEffect.ts'
import { artifactName, once } from './requestFacts.ts'
import { withinRole } from './scopes.ts'

// The steps of the token endpoint, in their order: see clientEndpoints.ts.

export function findPresented({ exchange }: ClientRequest): void {
  const isRefresh = exchange.form.get('grant_type') === 'refresh_token'
  const value = exchange.form.get(isRefresh ? 'refresh_token' : 'code')
  if (value !== null) exchange.presented = { model: isRefresh ? 'RefreshToken' : 'AuthorizationCode', value }
}

/** Reads what the engine needs in as few round trips as possible. Counts the request first, unless a refresh is likely to be within the limit. */
export async function prefetch({ ctx, args: { stores }, exchange, admission }: ClientRequest): Promise<void> {
  const place = { stores, schoolId: ctx.state.school.id }
  const { presented } = exchange
  await stores.ephemeral.together(() => {
    if (presented) beginFind(exchange, place, presented)
    return presented?.model === 'RefreshToken' && admission.isLikely ? undefined : admission.count()
  })
  if (presented) await loadMintingFacts(exchange, place, presented)
}

/**
 * Sends the engine the scopes that the person allowed, of those that a refresh requests. If nothing is left, the engine refuses the scope
 * as it was sent.
 */
export async function narrowRequestedScope({ ctx, exchange }: ClientRequest): Promise<void> {
  const { form, facts, presented } = exchange
  if (presented?.model !== 'RefreshToken') return
  const found = await facts.artifacts.get(artifactName(presented.model, presented.value))?.catch(() => undefined)
  if (!found || form.getAll('scope').length > 1) return
  if (found.payload === '') {
    // The token was used: see `repeatRefresh`, which reads the scope of the form. The engine would refuse some scopes before it looks for the token.
    const sent = new URLSearchParams(form)
    sent.delete('scope')
    putBodyBack(ctx.req, Buffer.from(sent.toString()))
    return
  }
  const { scope: granted, resource }: RefreshPayload = JSON.parse(found.payload)
  exchange.granted = { ...(granted !== undefined && { scope: granted }), ...(resource !== undefined && { resource }) }
  const { scope } = refreshEffect(form, exchange.granted)
  if (scope === '' || !form.has('scope') || form.get('scope') === scope) return
  form.set('scope', scope)
  putBodyBack(ctx.req, Buffer.from(form.toString()))
}

/** Removes scopes that the role has lost or the school no longer allows from the new access token. The refresh token keeps them. */
export async function narrowIssuedScope({ ctx, args: { findPerson, grantable }, exchange }: ClientRequest): Promise<void> {
  if (ctx.status !== 200 || exchange.consumed?.key.model !== 'RefreshToken') return
  const token = exchange.saved.find(({ model }) => model === 'AccessToken')
  const id = token?.accountId
  const person = id === undefined ? undefined : await once(exchange.facts.people, id, () => findPerson(ctx.state.school.id, id))
  if (!token || !person) return
  const payload: { scope?: string } = JSON.parse(token.payload)
  const client = await exchange.facts.clients.get(exchange.clientId ?? '')
  const scope = withinRole(payload.scope, grantable(person.role, client && termsOf(client)))
  if (scope === payload.scope) return
  token.payload = JSON.stringify({ ...payload, scope })
  ctx.body = { ...(ctx.body as object), scope }
}

/** Commits new tokens and the consumption of old ones together or not at all. */
export async function commitTokens(request: ClientRequest): Promise<void> {
  const { ctx, args, exchange, admission } = request
  if (ctx.status !== 200) return
  const isCode = exchange.presented?.model === 'AuthorizationCode'
  if (isCode) exchange.audit.push(entry(ctx, 'token.issued', exchange))
  const place = { stores: args.stores, schoolId: ctx.state.school.id, refreshWindowSeconds: args.refreshWindowSeconds(), admission }
  try {
    await commit(exchange, ctx.body as Record<string, unknown>, place)
    if (isCode) args.count('token.issued')
  } catch (error) {
    respondWithError(request, error)
  }
}

/** Sends the response of an earlier request with the same refresh token, within the refresh window. */
export function replay({ ctx, exchange }: ClientRequest): void {
  if (!exchange.replayed) return
  delete exchange.refusal
  ctx.status = 200
  ctx.body = exchange.replayed
  exchange.audit = [entry(ctx, 'refresh_token.answered_again', exchange)]
}

/** Records that the engine has revoked the grant of a code that was used before. */
export function auditReplayedCode({ ctx, exchange }: ClientRequest): void {
  if (exchange.ended.size > 0 && exchange.audit.length === 0) exchange.audit.push(entry(ctx, 'code.replayed', exchange))
}
