import type { Context } from 'koa'
import { challenge } from '../http/problems.ts'
import { putBodyBack } from '../http/readBody.ts'
import { urlencodedFormReader } from '../http/urlencodedForm.ts'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { presentedToken } from './bearer.ts'
import { accountIdOf } from './claims.ts'
import { finish, type Handler, limit, refuseAuthorizationHeader, type ServiceArguments, throughEngine } from './endpointHandler.ts'
import { type Exchange, newExchange } from './engineTransaction.ts'
import { readEngineForm } from './readEngineForm.ts'
import { once, rememberChecked } from './requestFacts.ts'
import type { CheckedToken } from './tokenChecks.ts'

/** The introspection endpoint (RFC 7662). */
export const introspect: Handler = async (ctx, args) => {
  // The body is read first, so that the limit and the token can be requested from Redis together.
  const form = await readEngineForm(ctx).catch(async (error: unknown) => {
    await limit(ctx, args, 'introspection')
    refuseAuthorizationHeader(ctx)
    throw error
  })
  const exchange = newExchange(form)
  const [token, callerId] = [form.get('token'), form.get('client_id')]
  const isUseful = token !== null && callerId !== null && ctx.req.headers.authorization === undefined
  await Promise.all(
    args.stores.ephemeral.together(() => [
      limit(ctx, args, 'introspection'),
      isUseful ? rememberToken(exchange, args, { schoolId: ctx.state.school.id, token, callerId }) : undefined,
    ]),
  )
  refuseAuthorizationHeader(ctx)
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 200) ctx.body = await asOfNow(ctx.body as Introspection, { school: ctx.state.school, exchange, args })
  await finish(ctx, args, exchange)
}

/** Reads everything that the engine asks about an access token before the engine runs. */
async function rememberToken(
  { facts }: Exchange,
  { tokenChecks }: ServiceArguments,
  { schoolId, token, callerId }: { schoolId: string; token: string; callerId?: string },
): Promise<CheckedToken> {
  const checked = await tokenChecks.check(schoolId, token, callerId)
  rememberChecked(facts, token, checked)
  return checked
}

interface Introspection {
  active: boolean
  sub?: string
  scope?: string
}

/** A token contains the scopes at its issue. The response contains those that the person's current role allows. */
async function asOfNow(
  answer: Introspection,
  { school, exchange, args }: { school: School; exchange: Exchange; args: ServiceArguments },
): Promise<Introspection> {
  if (!answer.active || answer.sub === undefined) return answer
  const { findPerson, grantable } = args
  const grantId = exchange.grantIds.get(exchange.form.get('token') ?? '')
  const accountId = accountIdOf(answer.sub)
  const find = () => findPerson(school.id, accountId ?? '', grantId)
  const person = accountId === undefined ? undefined : await once(exchange.facts.people, accountId, find)
  if (!person) return { active: false }
  const allowed = grantable(person.role)
  const scope = answer.scope?.split(' ').filter((name) => allowed.has(name))
  return scope ? { ...answer, scope: scope.join(' ') } : answer
}

const readForm = urlencodedFormReader(32 * 1024)

/**
 * Returns the token in the header or in the form of the request (RFC 6750 sections 2.1 and 2.2), and gives the engine a request with the
 * header alone: another body has no meaning here.
 * @throws Problem invalid_token; invalid_request if the form has another token than the header
 */
async function tokenForUserinfo(ctx: Context): Promise<string | undefined> {
  const inHeader = presentedToken(ctx)
  const isForm = ctx.method === 'POST' && ctx.is('application/x-www-form-urlencoded')
  const inForm = isForm ? new URLSearchParams(await readForm(ctx)).getAll('access_token') : []
  const [token, ...others] = new Set([...(inHeader === undefined ? [] : [inHeader]), ...inForm.filter(Boolean)])
  if (others.length > 0) throw new Problem('invalid_request', { description: 'access_token names several tokens. Send one token, once.' })
  if (token === undefined) return undefined
  // The engine accepts one space.
  const authorization = `Bearer ${token}`
  Object.assign(ctx.req.headers, { authorization })
  Object.assign(ctx.req.headersDistinct, { authorization: [authorization] })
  if (ctx.method === 'POST') {
    ctx.req.headers['content-type'] = 'application/x-www-form-urlencoded'
    putBodyBack(ctx.req, Buffer.alloc(0))
  }
  return presentedToken(ctx)
}

/** The UserInfo endpoint (OpenID Connect Core section 5.3). Requests without a token are rejected without a challenge. */
export const userinfo: Handler = async (ctx, args) => {
  const token = await tokenForUserinfo(ctx)
  if (token === undefined) {
    throw new Problem('access_denied', {
      description: 'UserInfo speaks of a person. Present an access token with the scope openid.',
      details: [{ code: 'scope_needed', message: 'a token with this scope is needed', meta: { required_scope: 'openid' } }],
    })
  }
  const exchange = newExchange(new URLSearchParams())
  const [, { found }] = await Promise.all(
    args.stores.ephemeral.together(
      () => [args.badCredentials.check(ctx), rememberToken(exchange, args, { schoolId: ctx.state.school.id, token })] as const,
    ),
  )
  Object.assign(ctx.state, { clientId: found?.clientId ?? undefined, accountId: found?.accountId ?? undefined })
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 401) await args.badCredentials.count(ctx)
  if (ctx.status >= 400) {
    const { error } = ctx.body as { error: string }
    const problem =
      error === 'insufficient_scope'
        ? new Problem('insufficient_scope', { requiredScopes: ['openid'] })
        : error === 'invalid_token'
          ? new Problem('invalid_token')
          : undefined
    ctx.remove('WWW-Authenticate')
    if (problem) {
      ctx.set('WWW-Authenticate', challenge(problem, ctx.state))
      ctx.body = { error: problem.code, error_description: problem.description }
    }
  }
  await finish(ctx, args, exchange)
}
