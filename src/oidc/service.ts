import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import { keysOf } from '../lib/keysOf.ts'
import { authorize, confirmEndSession, endSession, resume } from './browserEndpoints.ts'
import { dispatch, type Handler, type ServiceArguments } from './endpointHandler.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { keysDocument, metadataDocument, metadataPaths } from './metadata.ts'
import { redirectForms } from './redirectForms.ts'
import { register } from './registrationEndpoint.ts'
import { revoke } from './revocationEndpoint.ts'
import { token } from './tokenEndpoint.ts'
import { introspect, userinfo } from './tokenInformation.ts'

interface Endpoint {
  /** For the log and the metrics. */
  operation: string
  methods: readonly string[]
  handle: Handler
}

const operationOfEndpoint = (name: EndpointName): string => `oauth.${name}`
const metadataOperation = 'oauth.metadata'
const resumeOperation = 'oauth.resume'
const endSessionOperation = operationOfEndpoint('end_session')

/** The operations of the authorization server, for the log and the metrics. */
export const oauthOperations: readonly string[] = [...keysOf(endpoints).map(operationOfEndpoint), metadataOperation, resumeOperation]

const resumption: Endpoint = { operation: resumeOperation, methods: ['GET'], handle: resume }

/** The authorization server: middleware before the engine, with one handler per endpoint. */
export function createService(args: ServiceArguments): Middleware {
  const handlers = new Map<string, Endpoint>()
  const on = (name: EndpointName, handle: Handler): unknown => {
    const { path, methods } = endpoints[name]
    return handlers.set(path, { operation: operationOfEndpoint(name), methods, handle })
  }
  on('authorization', redirectForms(authorize))
  on('token', token)
  on('registration', register)
  on('userinfo', userinfo)
  on('revocation', revoke)
  on('introspection', introspect)
  on('jwks', async (ctx) =>
    serveDocument(ctx, await keysDocument(ctx, await args.runtimes.get(ctx.state.school), endpoints.jwks.path), { freshMilliseconds }),
  )
  on('end_session', redirectForms(endSession))
  handlers.set(`${endpoints.end_session.path}/confirm`, { operation: endSessionOperation, methods: ['POST'], handle: confirmEndSession })
  handlers.set(`${endpoints.end_session.path}/success`, { operation: endSessionOperation, methods: ['GET'], handle: dispatch })
  for (const path of metadataPaths) {
    handlers.set(path, {
      operation: metadataOperation,
      methods: ['GET', 'HEAD'],
      handle: async (ctx) => {
        const { school } = ctx.state
        const [runtime, links] = await Promise.all([args.runtimes.get(school), args.legalLinks(school)])
        serveDocument(ctx, await metadataDocument(ctx, runtime, links), { freshMilliseconds })
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
