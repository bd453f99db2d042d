import { challenge } from '../http/problems.ts'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { presentedToken } from './bearer.ts'
import { accountIdOf } from './claims.ts'
import { finish, type Handler, limit, refuseAuthorizationHeader, type ServiceArguments, throughEngine } from './endpointHandler.ts'
import { type Exchange, newExchange } from './engineTransaction.ts'
import { readEngineForm } from './readEngineForm.ts'

/** The introspection endpoint (RFC 7662). */
export const introspect: Handler = async (ctx, args) => {
  await limit(ctx, args, 'introspection')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readEngineForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 200) ctx.body = await asOfNow(ctx.body as Introspection, { school: ctx.state.school, exchange, args })
  await finish(ctx, args, exchange)
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
  const person = accountId === undefined ? undefined : await findPerson(school.id, accountId, grantId)
  if (!person) return { active: false }
  const allowed = grantable(person.role)
  const scope = answer.scope?.split(' ').filter((name) => allowed.has(name))
  return scope ? { ...answer, scope: scope.join(' ') } : answer
}

/** The UserInfo endpoint (OpenID Connect Core section 5.3). Requests without a token are rejected without a challenge. */
export const userinfo: Handler = async (ctx, args) => {
  if (presentedToken(ctx) === undefined) {
    throw new Problem('access_denied', {
      description: 'UserInfo speaks of a person. Present an access token with the scope openid.',
      details: [{ code: 'scope_needed', message: 'a token with this scope is needed', meta: { required_scope: 'openid' } }],
    })
  }
  await args.badCredentials.check(ctx)
  const exchange = newExchange(new URLSearchParams())
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
