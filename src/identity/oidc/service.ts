import type { Context, Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../../base/http/document.ts'
import { allowMethods } from '../../base/http/methods.ts'
import { urlencodedFormReader } from '../../base/http/urlencodedForm.ts'
import { Problem } from '../../base/problem.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import { authorize, confirmEndSession, endSession, resume } from './browserEndpoints.ts'
import { introspect, revoke, token } from './clientEndpoints.ts'
import {
  dispatch,
  type EngineRequest,
  entry,
  finish,
  type Handler,
  limit,
  respondWithError,
  runEngine,
  type ServiceArguments,
  showProblemsOf,
} from './endpointHandler.ts'
import { type EndpointName, endpoints, operationOfEndpoint } from './endpoints.ts'
import { newExchange } from './engineTransaction.ts'
import { keysDocument, metadataDocument, metadataPaths } from './metadata.ts'
import { readRegistration, registrationResponse } from './readRegistration.ts'
import { orUnavailable } from './stores.ts'
import { userinfo } from './tokenInformation.ts'

const register: Handler = async (ctx, args) => {
  const rules = args.registrationRules(ctx.state.school)
  if (!rules) throw new Problem('not_found', { description: 'This school takes no self-service registrations.' })
  await limit(ctx, args, 'registration')
  const { requestedScope } = await readRegistration(ctx, rules)
  const request = { ctx, args, exchange: newExchange() }
  await runEngine(request)
  if (ctx.status === 201 && (await isSaved(request))) {
    ctx.body = registrationResponse(ctx.body as Record<string, unknown>, { requestedScope, knownScopes: args.scopes })
  }
  await finish(request)
}

/** Saves the registered client with its audit row. Otherwise the response becomes an error, and nothing was saved. */
async function isSaved(request: EngineRequest): Promise<boolean> {
  const { ctx, exchange } = request
  const { stores, registerClient, count } = request.args
  const { school, isOwn } = ctx.state
  const { client_name: name } = ctx.body as { client_name?: string }
  if (!exchange.registered) throw new Error('the engine registered no client')
  const { id, metadata } = exchange.registered
  ctx.state.clientId = id
  const audit = isOwn ? [] : [{ ...entry(ctx, 'client.registered', exchange), client_id: id, details: { client_name: name } }]
  try {
    await orUnavailable(stores, registerClient({ schoolId: school.id, id, metadata, audit }))
    for (const { event } of audit) count(event)
    return true
  } catch (error) {
    respondWithError(request, error)
    return false
  }
}

const readText = urlencodedFormReader(32 * 1024)

/** A URL with more characters is not accepted by every gateway. */
const maxFormCharacters = 6000

/**
 * Wraps the handler of an endpoint that takes GET and POST (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2): a form is
 * redirected to the same parameters in the query. The cookies of this service are SameSite=Lax: a browser does not send them with the
 * form of another site, but it does send them with the redirected request.
 */
const redirectForms =
  (handle: Handler, readQuery: (ctx: Context) => Promise<string>): Handler =>
  (ctx, args) =>
    ctx.method === 'POST' ? redirectForm(ctx, args, readQuery) : handle(ctx, args)

async function redirectForm(ctx: Context, args: ServiceArguments, readQuery: (ctx: Context) => Promise<string>): Promise<void> {
  await showProblemsOf(ctx, args, async () => {
    const query = await readQuery(ctx)
    ctx.status = 303
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${ctx.path}?${query}`)
  })
}

/** Returns the parameters of a form as a query. */
async function readForm(ctx: Context): Promise<string> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem('invalid_request', {
      description: 'Send the parameters as a form with Content-Type: application/x-www-form-urlencoded, or in the query of a GET request.',
    })
  }
  const query = new URLSearchParams(await readText(ctx)).toString()
  if (query.length <= maxFormCharacters) return query
  throw new Problem('payload_too_large', {
    description: `The form has ${query.length} characters and may have ${maxFormCharacters}. Send a shorter state: keep the rest in your app.`,
  })
}

/** A form that cannot be read does not hinder a sign-out, which then has no parameters. */
const readSignOutForm = (ctx: Context): Promise<string> =>
  readForm(ctx).catch((error: unknown) => {
    if (error instanceof Problem) return ''
    throw error
  })

interface Endpoint {
  operation: string
  methods: readonly string[]
  handle: Handler
}

const metadataOperation = 'oauth.metadata'
const resumeOperation = 'oauth.resume'
const endSessionOperation = operationOfEndpoint('end_session')

export const oauthOperations: readonly string[] = [...keysOf(endpoints).map(operationOfEndpoint), metadataOperation, resumeOperation]

const resumption: Endpoint = { operation: resumeOperation, methods: ['GET'], handle: resume }

/** The authorization server: middleware before the engine, with one handler per endpoint. */
export function createService(args: ServiceArguments): Middleware {
  const handlers = new Map<string, Endpoint>()
  const on = (name: EndpointName, handle: Handler): unknown => {
    const { path, methods } = endpoints[name]
    return handlers.set(path, { operation: operationOfEndpoint(name), methods, handle })
  }
  on('authorization', redirectForms(authorize, readForm))
  on('token', token)
  on('registration', register)
  on('userinfo', userinfo)
  on('revocation', revoke)
  on('introspection', introspect)
  on('jwks', async (ctx) =>
    serveDocument(ctx, await keysDocument(ctx, await args.runtimes.get(ctx.state.school), endpoints.jwks.path), { freshMilliseconds }),
  )
  on('end_session', redirectForms(endSession, readSignOutForm))
  handlers.set(`${endpoints.end_session.path}/confirm`, { operation: endSessionOperation, methods: ['POST'], handle: confirmEndSession })
  handlers.set(`${endpoints.end_session.path}/success`, { operation: endSessionOperation, methods: ['GET'], handle: dispatch })
  for (const path of metadataPaths) {
    handlers.set(path, {
      operation: metadataOperation,
      methods: ['GET', 'HEAD'],
      handle: async (ctx) => {
        const { school } = ctx.state
        const [runtime, links, acceptsDocuments] = await Promise.all([
          args.runtimes.get(school),
          args.legalLinks(school),
          args.acceptsDocuments(school),
        ])
        serveDocument(ctx, await metadataDocument(ctx, runtime, { ...links, acceptsDocuments }), { freshMilliseconds })
      },
    })
  }
  const resumeAddress = /^\/oauth\/authorize\/[A-Za-z0-9_-]{1,128}$/

  return async (ctx, next) => {
    const found = handlers.get(ctx.path) ?? (resumeAddress.test(ctx.path) ? resumption : undefined)
    if (!found) return next()
    ctx.state.operation = found.operation
    const methods = found.methods.includes('GET') && ctx.path === endpoints.jwks.path ? ['GET', 'HEAD'] : found.methods
    if (allowMethods(ctx, methods) === 'answered') return
    await found.handle(ctx, args)
  }
}
