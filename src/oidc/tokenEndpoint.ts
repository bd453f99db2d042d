import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { entry, finish, type Handler, limit, refuseAuthorizationHeader, type ServiceArguments, throughEngine } from './endpointHandler.ts'
import { commit, type Exchange, newExchange } from './engineTransaction.ts'
import { readEngineForm } from './readEngineForm.ts'

/** The token endpoint (RFC 6749 section 3.2). New tokens and the consumption of old ones are committed together or not at all. */
export const token: Handler = async (ctx, args) => {
  await limit(ctx, args, 'token')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readEngineForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (exchange.replayed) repeatResponse(ctx, exchange, exchange.replayed)
  else if (ctx.status === 200) await commitResponse(ctx, args, exchange)
  else if (exchange.ended.size > 0 && exchange.audit.length === 0) exchange.audit.push(entry(ctx, 'code.replayed', exchange))
  await finish(ctx, args, exchange)
}

async function commitResponse(ctx: Context, service: ServiceArguments, exchange: Exchange): Promise<void> {
  const { stores, refreshWindowSeconds } = service
  const { school } = ctx.state
  if (exchange.consumed?.key.model === 'RefreshToken') ctx.body = await withinRole(ctx, service, exchange)
  const isCode = exchange.form.get('grant_type') === 'authorization_code'
  if (isCode) exchange.audit.push(entry(ctx, 'token.issued', exchange))
  try {
    const args = { stores, schoolId: school.id, refreshWindowSeconds: refreshWindowSeconds() }
    ctx.body = await commit(exchange, ctx.body as Record<string, unknown>, args)
    if (exchange.replayed) repeatResponse(ctx, exchange, exchange.replayed)
    else if (isCode) service.count('token.issued')
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    exchange.refusal = { error: error.error, detail: error.error_detail }
    ctx.status = error.statusCode
    ctx.body = { error: error.error, error_description: error.error_description }
  }
}

/** Removes scopes that the person's role has lost since the consent from the new access token. The refresh token keeps them. */
async function withinRole(ctx: Context, { findPerson, grantable }: ServiceArguments, exchange: Exchange): Promise<Record<string, unknown>> {
  const answer = ctx.body as Record<string, unknown>
  const token = exchange.saved.find(({ model }) => model === 'AccessToken')
  const person = token?.accountId === undefined ? undefined : await findPerson(ctx.state.school.id, token.accountId)
  if (!token || !person) return answer
  const payload = JSON.parse(token.payload) as { scope?: string }
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
