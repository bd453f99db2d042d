import { decodeProtectedHeader } from 'jose'
import type { Context } from 'koa'
import { challenge } from '../../base/http/problems.ts'
import { putBodyBack } from '../../base/http/readBody.ts'
import { urlencodedFormReader } from '../../base/http/urlencodedForm.ts'
import { Problem } from '../../base/problem.ts'
import { termsOf } from '../apps/schoolAppRules.ts'
import { presentedToken } from './bearer.ts'
import { accountIdOf } from './claims.ts'
import { type ClientRequest, finish, type Handler, runEngine, type ServiceArguments } from './endpointHandler.ts'
import { type Exchange, newExchange } from './engineTransaction.ts'
import { once, rememberChecked } from './requestFacts.ts'
import { withinRole } from './scopes.ts'
import { type CheckedToken, personOf, refuseStopped } from './tokenChecks.ts'

/** Looks up the token and the client. The limit is counted in the same round trip. */
export async function prefetchToken({ ctx, args, exchange, admission, form, clientId: callerId }: ClientRequest): Promise<void> {
  const token = form.get('token')
  await Promise.all(
    args.stores.ephemeral.together(() => [
      admission.count(),
      token !== null && callerId !== undefined && rememberToken(exchange, args, { ctx, token, callerId }),
    ]),
  )
}

/** Reads everything that the engine asks about an access token before the engine runs. */
async function rememberToken(
  { facts }: Exchange,
  { tokenChecks, begunChecks }: ServiceArguments,
  { ctx, token, callerId }: { ctx: Context; token: string; callerId?: string },
): Promise<CheckedToken> {
  const checked = await (begunChecks.get(ctx.req)?.checked ?? tokenChecks.check(ctx.state.school.id, token, callerId))
  rememberChecked(facts, token, checked)
  return checked
}

/**
 * Replaces a JWT by a token that does not exist: none of this service is one, and the engine refuses them with an error. A resource server
 * forwards what its callers present, so the answer about a token of somebody else is that it is not active (RFC 7662 section 2.2).
 */
export function hideJwt({ ctx, form }: ClientRequest): void {
  const [token, ...others] = form.getAll('token')
  if (token === undefined || others.length > 0 || !isJwt(token)) return
  form.set('token', 'jwt')
  putBodyBack(ctx.req, Buffer.from(form.toString()))
}

function isJwt(token: string): boolean {
  try {
    return Boolean(decodeProtectedHeader(token))
  } catch {
    return false
  }
}

interface Introspection {
  active: boolean
  sub?: string
  client_id?: string
  scope?: string
  exp?: number
}

/**
 * A token contains the scopes and the end at its issue. The response contains the scopes that the person's current role and the school allow,
 * and the end of the grant if that is earlier.
 */
export async function narrowIntrospection({ ctx, args: { findPerson, grantable }, exchange, form }: ClientRequest): Promise<void> {
  if (ctx.status !== 200) return
  const answer = ctx.body as Introspection
  if (!answer.active || answer.sub === undefined) return
  const grantId = exchange.grantIds.get(form.get('token') ?? '')
  const accountId = accountIdOf(answer.sub)
  const find = () => findPerson(ctx.state.school.id, accountId ?? '', grantId)
  const person = accountId === undefined ? undefined : await once(exchange.facts.people, accountId, find)
  const client = await exchange.facts.clients.get(answer.client_id ?? '')
  const scope = person && withinRole(answer.scope, grantable(person.role, client && termsOf(client)))
  const end = grantId === undefined ? undefined : (await exchange.facts.grants.get(grantId))?.exp
  const exp = typeof end === 'number' && answer.exp !== undefined ? Math.min(answer.exp, end) : undefined
  ctx.body = person ? { ...answer, ...(scope !== undefined && { scope }), ...(exp !== undefined && { exp }) } : { active: false }
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
  const exchange = newExchange()
  const [, checked] = await Promise.all(
    args.stores.ephemeral.together(
      () =>
        [args.begunChecks.get(ctx.req)?.within ?? args.badCredentials.check(ctx), rememberToken(exchange, args, { ctx, token })] as const,
    ),
  )
  const { found } = checked
  Object.assign(ctx.state, { clientId: found?.clientId ?? undefined, accountId: found?.accountId ?? undefined })
  if (personOf(checked)) refuseStopped(checked, ctx.state.school.issuer)
  await runEngine({ ctx, args, exchange })
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
  await finish({ ctx, args, exchange })
}
