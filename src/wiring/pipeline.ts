import Koa, { type Middleware } from 'koa'
import { errorsUrl } from '../config/schools.ts'
import { isUpload } from '../files/uploadRoute.ts'
import { apiPath } from '../framework/declare/operations.ts'
import { accessLog } from '../http/accessLog.ts'
import { isClientAbort } from '../http/clientAbort.ts'
import { identityBodies } from '../http/contentEncoding.ts'
import { cors } from '../http/cors.ts'
import { exceptOwnRequests, markOwnRequests } from '../http/inProcess.ts'
import { renderProblems } from '../http/problems.ts'
import { requestId } from '../http/requestId.ts'
import type { RequestState } from '../http/requestState.ts'
import { originForm } from '../http/requestTarget.ts'
import { arriveWithin } from '../http/requestTimeout.ts'
import { securityHeaders } from '../http/securityHeaders.ts'
import { addressLimit, callerAddress, resolveSchool } from '../http/tenant.ts'
import { cookieKeys } from '../oidc/cookies.ts'
import { withoutInteractionId } from '../oidc/endpoints.ts'
import { rememberLanguage } from '../pages/language.ts'
import type { Foundation } from './foundation.ts'
import { schoolConfigOf } from './runtime.ts'

const isPage = (path: string): boolean => /^\/(oauth|account)(\/|$)/i.test(path)

/** Creates the Koa application without middleware. */
export function createKoa({ keyring, log }: Pick<Foundation, 'keyring' | 'log'>): Koa {
  const koa = new Koa()
  koa.keys = cookieKeys(keyring)
  // callerAddress has replaced the forwarded headers according to the configuration.
  koa.proxy = true
  koa.on('error', (error: Error, ctx?: Koa.Context) => {
    if (isClientAbort(error, ctx)) log.debug({ request_id: ctx?.state.requestId }, 'client closed the connection')
    else log.error({ err: error, request_id: ctx?.state.requestId }, 'response failed')
  })
  return koa
}

/** Returns the middleware that every request passes before the routes, in order. */
export const beforeRoutes = ({ runtime, config, log, metrics }: Foundation): Middleware<RequestState>[] => [
  markOwnRequests,
  requestId(),
  originForm(),
  arriveWithin(30, isUpload),
  callerAddress(config.server.trusted_proxies),
  exceptOwnRequests(accessLog(log, withoutInteractionId)),
  exceptOwnRequests(metrics.middleware),
  securityHeaders(),
  cors({ allowedOrigins: config.server.cors.allowed_origins, isPage }),
  renderProblems(log, (path, school) =>
    school && path.startsWith(`${apiPath}/`) ? errorsUrl(schoolConfigOf(runtime, school)) : undefined,
  ),
  addressLimit(),
  identityBodies(),
  resolveSchool((host) => runtime.schools.byHost(host)),
  rememberLanguage(isPage),
]
