import type { Context, Middleware } from 'koa'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { serveDocument } from '../http/document.ts'
import { isForeignForm } from '../http/foreignForm.ts'
import { addressKey, enforce, type Limiter, type Policy } from '../http/limits.ts'
import { allowMethods } from '../http/methods.ts'
import { challenge } from '../http/problems.ts'
import { Problem, plainAscii } from '../lib/problem.ts'
import type { Role } from '../policy/caller.ts'
import type { RegistrationRules } from '../policy/registration.ts'
import type { School } from '../policy/school.ts'
import type { AuditEntry } from '../store/audit.ts'
import { type PersonNow, presentedToken } from './bearer.ts'
import { accountIdOf } from './claims.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { commit, type Exchange, type Exchanges, newExchange } from './exchange.ts'
import { explain } from './explain.ts'
import { canonicalise, readForm } from './form.ts'
import { keysDocument, metadataDocument, metadataPaths } from './metadata.ts'
import { readRegistration, registrationAnswer } from './registration.ts'
import type { Runtimes } from './runtimes.ts'
import type { Stores } from './stores.ts'

export type LimitedEndpoint = 'registration' | 'token' | 'introspection'

export interface ServiceArguments {
  runtimes: Runtimes
  stores: Stores
  exchanges: Exchanges
  scopes: readonly string[]
  limiter: Limiter
  policies: Record<LimitedEndpoint, Policy>
  refreshWindowSeconds(): number
  registrationRules(school: School): RegistrationRules | undefined
  findPerson(schoolId: string, accountId: string): Promise<PersonNow | undefined>
  grantable(role: Role): ReadonlySet<string>
  recordAudit(entries: AuditEntry[]): Promise<void>
}

type Handler = (ctx: Context, args: ServiceArguments) => Promise<void>

/** The authorization server: our own doors in front of the engine, one handler an endpoint. */
export function createService(args: ServiceArguments): Middleware {
  const handlers = new Map<string, { methods: readonly string[]; handle: Handler }>()
  const on = (name: EndpointName, handle: Handler): unknown =>
    handlers.set(endpoints[name].path, { methods: endpoints[name].methods, handle })
  on('authorization', authorize)
  on('token', token)
  on('registration', register)
  on('userinfo', userinfo)
  on('revocation', revoke)
  on('introspection', introspect)
  on('jwks', async (ctx) => serveDocument(ctx, await keysDocument(ctx, await args.runtimes.get(ctx.state.school), endpoints.jwks.path)))
  on('end_session', endSession)
  handlers.set(`${endpoints.end_session.path}/confirm`, { methods: ['POST'], handle: confirmEndSession })
  handlers.set(`${endpoints.end_session.path}/success`, { methods: ['GET'], handle: dispatch })
  for (const path of metadataPaths) {
    handlers.set(path, {
      methods: ['GET', 'HEAD'],
      handle: async (ctx) => serveDocument(ctx, await metadataDocument(ctx, await args.runtimes.get(ctx.state.school))),
    })
  }
  const resume = /^\/oauth\/authorize\/[A-Za-z0-9_-]{1,128}$/

  return async (ctx, next) => {
    const found = handlers.get(ctx.path) ?? (resume.test(ctx.path) ? { methods: ['GET'], handle: dispatch } : undefined)
    if (!found) return next()
    const methods = found.methods.includes('GET') && ctx.path === endpoints.jwks.path ? ['GET', 'HEAD'] : found.methods
    if (allowMethods(ctx, methods) === 'answered') return
    await found.handle(ctx, args)
  }
}

/** Hands a request to the engine as it is. */
const dispatch: Handler = async (ctx, { runtimes }) => {
  const { dispatch } = await runtimes.get(ctx.state.school)
  await dispatch(ctx, async () => undefined)
}

/** Sign-out. Where nobody is signed in there is nothing to confirm: the engine's self-submitting form is passed over. */
const endSession: Handler = async (ctx, args) => {
  await dispatch(ctx, args)
  const { oidc } = ctx as unknown as Partial<KoaContextWithOIDC>
  if (ctx.status !== 200 || !oidc?.session || oidc.session.accountId) return
  // The engine has checked it against the client's registered addresses, or taken it out.
  const { post_logout_redirect_uri: target, state } = oidc.params ?? {}
  const to = new URL(typeof target === 'string' ? target : `${ctx.state.school.issuer}${endpoints.end_session.path}/success`)
  if (typeof target === 'string' && typeof state === 'string') to.searchParams.set('state', state)
  ctx.body = null
  ctx.status = 303
  ctx.redirect(to.href)
}

/** The engine checks the form's token; a form that another site sent is refused whatever it holds. */
const confirmEndSession: Handler = async (ctx, args) => {
  const { issuer } = ctx.state.school
  if (isForeignForm(ctx, issuer))
    throw new Problem('access_denied', { description: `This form was sent from another address than ${issuer}.` })
  await dispatch(ctx, args)
}

const authorize: Handler = async (ctx, args) => {
  const query = new URLSearchParams(ctx.querystring)
  const isCanonical = canonicalise(query)
  if (!hasTidyScope(query) || !isCanonical) ctx.querystring = query.toString()
  await dispatch(ctx, args)
}

const token: Handler = async (ctx, args) => {
  await limit(ctx, args, 'token')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (exchange.replayed) answerAgain(ctx, exchange, exchange.replayed)
  else if (ctx.status === 200) await commitAnswer(ctx, args, exchange)
  else if (exchange.ended.size > 0 && exchange.audit.length === 0) exchange.audit.push(entry(ctx, 'code.replayed', exchange))
  await finish(ctx, args, exchange)
}

async function commitAnswer(ctx: Context, service: ServiceArguments, exchange: Exchange): Promise<void> {
  const { stores, refreshWindowSeconds } = service
  const { school } = ctx.state
  if (exchange.consumed?.key.model === 'RefreshToken') ctx.body = await withinRole(ctx, service, exchange)
  if (exchange.form.get('grant_type') === 'authorization_code') exchange.audit.push(entry(ctx, 'token.issued', exchange))
  try {
    const args = { stores, schoolId: school.id, refreshWindowSeconds: refreshWindowSeconds() }
    ctx.body = await commit(exchange, ctx.body as Record<string, unknown>, args)
    if (exchange.replayed) answerAgain(ctx, exchange, exchange.replayed)
  } catch (error) {
    if (!(error instanceof errors.OIDCProviderError)) throw error
    exchange.refusal = { error: error.error, detail: error.error_detail }
    ctx.status = error.statusCode
    ctx.body = { error: error.error, error_description: error.error_description }
  }
}

/** Scopes that the person's role has lost since they consented are left out of the new access token. The refresh token keeps them. */
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

function answerAgain(ctx: Context, exchange: Exchange, answer: Record<string, unknown>): void {
  delete exchange.refusal
  ctx.status = 200
  ctx.body = answer
  exchange.audit = [entry(ctx, 'refresh_token.answered_again', exchange)]
}

const register: Handler = async (ctx, args) => {
  const rules = args.registrationRules(ctx.state.school)
  if (!rules) throw new Problem('not_found', { description: 'This school takes no self-service registrations.' })
  await limit(ctx, args, 'registration')
  const { requestedScope } = await readRegistration(ctx, rules)
  const exchange = newExchange(new URLSearchParams())
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 201) {
    ctx.body = registrationAnswer(ctx.body as Record<string, unknown>, { requestedScope, knownScopes: args.scopes })
    const { client_id: clientId, client_name: name } = ctx.body as { client_id: string; client_name?: string }
    exchange.audit.push({ ...entry(ctx, 'client.registered', exchange), client_id: clientId, details: { client_name: name } })
  }
  await finish(ctx, args, exchange)
}

const revoke: Handler = async (ctx, args) => {
  await limit(ctx, args, 'token')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 200)
    for (const grantId of exchange.ended.keys()) exchange.audit.push({ ...entry(ctx, 'token.revoked', exchange), grant_id: grantId })
  ctx.set('Cache-Control', 'no-store')
  await finish(ctx, args, exchange)
}

const introspect: Handler = async (ctx, args) => {
  await limit(ctx, args, 'introspection')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 200) ctx.body = await asOfNow(ctx.body as Introspection, ctx.state.school, args)
  await finish(ctx, args, exchange)
}

interface Introspection {
  active: boolean
  sub?: string
  scope?: string
}

/** A token says what its person could do when it was issued. A resource server hears what they can do now. */
async function asOfNow(answer: Introspection, school: School, { findPerson, grantable }: ServiceArguments): Promise<Introspection> {
  if (!answer.active || answer.sub === undefined) return answer
  const accountId = accountIdOf(answer.sub)
  const person = accountId === undefined ? undefined : await findPerson(school.id, accountId)
  if (!person) return { active: false }
  const allowed = grantable(person.role)
  const scope = answer.scope?.split(' ').filter((name) => allowed.has(name))
  return scope ? { ...answer, scope: scope.join(' ') } : answer
}

const userinfo: Handler = async (ctx, args) => {
  if (presentedToken(ctx) === undefined) {
    throw new Problem('access_denied', {
      description: 'UserInfo speaks of a person. Present an access token with the scope openid.',
      details: [{ code: 'scope_needed', message: 'a token with this scope is needed', meta: { required_scope: 'openid' } }],
    })
  }
  const exchange = newExchange(new URLSearchParams())
  await throughEngine(ctx, args, exchange)
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

/** Clients put their scopes together by hand: leading and double spaces say nothing. True where there were none. */
function hasTidyScope(query: URLSearchParams): boolean {
  const [scope, ...more] = query.getAll('scope')
  if (scope === undefined || more.length > 0) return true
  const tidy = scope.split(' ').filter(Boolean).join(' ')
  query.set('scope', tidy)
  return tidy === scope
}

async function throughEngine(ctx: Context, args: ServiceArguments, exchange: Exchange): Promise<void> {
  await args.exchanges.run(exchange, () => dispatch(ctx, args))
}

/** What every answer of an API endpoint has in common: text that helps, 503 for our own trouble, and the audit trail. */
async function finish(ctx: Context, { recordAudit }: ServiceArguments, exchange: Exchange): Promise<void> {
  const body = ctx.body as { error?: string; error_description?: string } | undefined
  if (ctx.status >= 400 && body?.error !== undefined) {
    const { error } = body
    if (error === 'temporarily_unavailable') {
      ctx.status = 503
      ctx.set('Retry-After', '1')
    }
    if (error === 'invalid_grant' || error === 'invalid_client') {
      exchange.audit.push({ ...entry(ctx, 'token.refused', exchange), details: { error, detail: exchange.refusal?.detail } })
    }
    ctx.body = explain({ ...body, error, detail: exchange.refusal?.detail }, ctx.state.school.issuer)
  }
  const { requestId, address } = ctx.state
  if (exchange.audit.length > 0) await recordAudit(exchange.audit.map((row) => ({ ...row, request_id: requestId, address })))
}

function entry(ctx: Context, event: string, { form, grantIds }: Exchange): AuditEntry {
  const { school, requestId, address } = ctx.state
  const [grantId] = [...grantIds.values()]
  return {
    school_id: school.id,
    event,
    client_id: plainAscii(form.get('client_id') ?? '').slice(0, 200) || undefined,
    grant_id: grantId,
    request_id: requestId,
    address,
  }
}

function limit(ctx: Context, { limiter, policies }: ServiceArguments, endpoint: LimitedEndpoint): Promise<void> {
  return enforce(limiter, policies[endpoint], `${ctx.state.school.id} ${addressKey(ctx.state.address)}`)
}

/** The engine would take Basic from clients that registered client_secret_post. We advertise two methods and mean it. */
function refuseAuthorizationHeader(ctx: Context): void {
  if (ctx.req.headers.authorization === undefined) return
  throw new Problem('invalid_client', {
    description:
      'Clients do not authenticate by the Authorization header here. Send client_id, and client_secret if you have one, in the form body.',
    headers: { 'WWW-Authenticate': 'Basic realm="schoolgate", error="invalid_client"' },
  })
}
