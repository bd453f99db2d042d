import type { Context } from 'koa'
import type { Admission } from '../http/admission.ts'
import { putBodyBack } from '../http/readBody.ts'
import {
  admit,
  entry,
  finish,
  type Handler,
  refuseAuthorizationHeader,
  respondWithError,
  type ServiceArguments,
  throughEngine,
} from './endpointHandler.ts'
import { commit, type Exchange, newExchange } from './engineTransaction.ts'
import { beginFind, loadMintingFacts, type Presented } from './mintingFacts.ts'
import { readEngineForm } from './readEngineForm.ts'
import { refreshEffect } from './refreshEffect.ts'
import { artifactName, once } from './requestFacts.ts'

/** The token endpoint (RFC 6749 section 3.2). New tokens and the consumption of old ones are committed together or not at all. */
export const token: Handler = async (ctx, args) => {
  const admission = admit(ctx, args, 'token')
  try {
    refuseAuthorizationHeader(ctx)
    const exchange = newExchange(await readEngineForm(ctx))
    await readFirst(ctx, args, { exchange, admission })
    await narrowScope(ctx, exchange)
    await throughEngine(ctx, args, exchange)
    if (exchange.replayed) repeatResponse(ctx, exchange, exchange.replayed)
    else if (ctx.status === 200) await commitResponse(ctx, args, { exchange, admission })
    else if (exchange.ended.size > 0 && exchange.audit.length === 0) exchange.audit.push(entry(ctx, 'code.replayed', exchange))
    await finish(ctx, args, exchange)
  } finally {
    // A refresh is counted with the write of its access token. What failed before is counted here.
    await admission.count()
  }
}

interface Counted {
  exchange: Exchange
  admission: Admission
}

/** Reads what the engine needs in as few round trips as possible. Counts the request first, unless a refresh is likely to be within the limit. */
async function readFirst({ state: { school } }: Context, { stores }: ServiceArguments, { exchange, admission }: Counted): Promise<void> {
  const place = { stores, schoolId: school.id }
  const presented = presentedIn(exchange.form)
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
async function narrowScope(ctx: Context, exchange: Exchange): Promise<void> {
  const { form, facts } = exchange
  const presented = presentedIn(form)
  if (presented?.model !== 'RefreshToken') return
  const found = await facts.artifacts.get(artifactName(presented.model, presented.value))?.catch(() => undefined)
  if (!found?.payload) return
  exchange.effect = refreshEffect(form, found.payload)
  const { scope } = exchange.effect
  if (scope === '' || form.getAll('scope').length !== 1 || form.get('scope') === scope) return
  form.set('scope', scope)
  putBodyBack(ctx.req, Buffer.from(form.toString()))
}

function presentedIn(form: URLSearchParams): Presented | undefined {
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const value = form.get(isRefresh ? 'refresh_token' : 'code')
  return value === null ? undefined : { model: isRefresh ? 'RefreshToken' : 'AuthorizationCode', value }
}

async function commitResponse(ctx: Context, service: ServiceArguments, { exchange, admission }: Counted): Promise<void> {
  const { stores, refreshWindowSeconds } = service
  const { school } = ctx.state
  if (exchange.consumed?.key.model === 'RefreshToken') ctx.body = await withinRole(ctx, service, exchange)
  const isCode = exchange.form.get('grant_type') === 'authorization_code'
  if (isCode) exchange.audit.push(entry(ctx, 'token.issued', exchange))
  try {
    const args = { stores, schoolId: school.id, refreshWindowSeconds: refreshWindowSeconds(), admission }
    ctx.body = await commit(exchange, ctx.body as Record<string, unknown>, args)
    if (exchange.replayed) repeatResponse(ctx, exchange, exchange.replayed)
    else if (isCode) service.count('token.issued')
  } catch (error) {
    respondWithError(ctx, exchange, error)
  }
}

/** Removes scopes that the person's role has lost since the consent from the new access token. The refresh token keeps them. */
async function withinRole(ctx: Context, { findPerson, grantable }: ServiceArguments, exchange: Exchange): Promise<Record<string, unknown>> {
  const answer = ctx.body as Record<string, unknown>
  const personOf = (id: string) => once(exchange.facts.people, id, () => findPerson(ctx.state.school.id, id))
  const token = exchange.saved.find(({ model }) => model === 'AccessToken')
  const person = token?.accountId === undefined ? undefined : await personOf(token.accountId)
  if (!token || !person) return answer
  const payload: { scope?: string } = JSON.parse(token.payload)
  const allowed = grantable(person.role)
  const scope = payload.scope
    ?.split(' ')
    .filter((name) => allowed.has(name))
    .join(' ')
  if (scope === undefined || scope === payload.scope) return answer
  token.payload = JSON.stringify({ ...payload, scope })
  return { ...answer, scope }
}

function repeatResponse(ctx: Context, exchange: Exchange, answer: Record<string, unknown>): void {
  delete exchange.refusal
  ctx.status = 200
  ctx.body = answer
  exchange.audit = [entry(ctx, 'refresh_token.answered_again', exchange)]
}
