import type { Middleware } from 'koa'
import { freshMilliseconds, serveDocument } from '../http/document.ts'
import { allowMethods } from '../http/methods.ts'
import { authorize, confirmEndSession, endSession, resume } from './browserEndpoints.ts'
import { dispatch, type Handler, type ServiceArguments } from './endpointHandler.ts'
import { type EndpointName, endpoints } from './endpoints.ts'
import { keysDocument, metadataDocument, metadataPaths } from './metadata.ts'
import { register } from './registrationEndpoint.ts'
import { revoke } from './revocationEndpoint.ts'
import { token } from './tokenEndpoint.ts'
import { introspect, userinfo } from './tokenInformation.ts'

/** The authorization server: middleware before the engine, with one handler per endpoint. */
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
  on('jwks', async (ctx) =>
    serveDocument(ctx, await keysDocument(ctx, await args.runtimes.get(ctx.state.school), endpoints.jwks.path), { freshMilliseconds }),
  )
  on('end_session', endSession)
  handlers.set(`${endpoints.end_session.path}/confirm`, { methods: ['POST'], handle: confirmEndSession })
  handlers.set(`${endpoints.end_session.path}/success`, { methods: ['GET'], handle: dispatch })
  for (const path of metadataPaths) {
    handlers.set(path, {
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
    const found = handlers.get(ctx.path) ?? (resumeAddress.test(ctx.path) ? { methods: ['GET'], handle: resume } : undefined)
    if (!found) return next()
    const methods = found.methods.includes('GET') && ctx.path === endpoints.jwks.path ? ['GET', 'HEAD'] : found.methods
    if (allowMethods(ctx, methods) === 'answered') return
    await found.handle(ctx, args)
  }
}
