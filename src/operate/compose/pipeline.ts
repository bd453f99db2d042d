import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { Context, Middleware } from 'koa'
import type { AgentDocuments } from '../../agents/agentDocuments.ts'
import { paths } from '../../agents/schoolFacts.ts'
import { afterWrites } from '../../base/http/afterWrites.ts'
import type { BegunRequests } from '../../base/http/begunRequests.ts'
import { refuseEncodedBodies } from '../../base/http/contentEncoding.ts'
import { cors } from '../../base/http/cors.ts'
import { createKoa } from '../../base/http/createKoa.ts'
import { inOrder } from '../../base/http/inOrder.ts'
import { markOwnRequests } from '../../base/http/inProcess.ts'
import { plainSlashes } from '../../base/http/plainSlashes.ts'
import { answerProbes } from '../../base/http/probe.ts'
import { renderProblems } from '../../base/http/problems.ts'
import { createRecorder, type RecordRequest, recordRequests } from '../../base/http/recordRequests.ts'
import { createReportBlock, type ReportBlock } from '../../base/http/reportBlock.ts'
import { setRequestId } from '../../base/http/requestId.ts'
import { limitRequest } from '../../base/http/requestLimits.ts'
import type { RequestState } from '../../base/http/requestState.ts'
import { originForm } from '../../base/http/requestTarget.ts'
import { arriveWithin } from '../../base/http/requestTimeout.ts'
import { logResponseErrors } from '../../base/http/responseErrors.ts'
import { createResponseTable, type ResponseTable } from '../../base/http/responseTable.ts'
import { securityHeaders } from '../../base/http/securityHeaders.ts'
import { storeResponses } from '../../base/http/storeResponses.ts'
import { addressReader, resolveSchool, setAddress } from '../../base/http/tenant.ts'
import { errorsUrl } from '../../config/schools.ts'
import { apiPath } from '../../engine/declare/operations.ts'
import { isSitePath } from '../../engine/sitePaths.ts'
import { cookieKeys } from '../../identity/oidc/cookies.ts'
import { endpoints, withoutInteractionId } from '../../identity/oidc/endpoints.ts'
import { withoutCalendarToken } from '../../pages/calendar/serveCalendar.ts'
import { rememberLanguage } from '../../pages/language.ts'
import { isUpload } from '../../school/files/uploadRoute.ts'
import type { OutboxWorker } from '../jobs/outbox/outboxWorker.ts'
import type { Foundation } from './foundation.ts'
import { schoolConfigOf } from './runtime.ts'
import { hasWebhooks } from './webhooks.ts'

const isPage = (path: string): boolean => /^\/(oauth|account|certificates|forms|docs\/apps)(\/|$)/i.test(path)

/** Creates the application of the public port, without middleware. */
export function createPublicKoa({ keyring, log }: Pick<Foundation, 'keyring' | 'log'>): Koa {
  const koa = createKoa()
  koa.keys = cookieKeys(keyring)
  // setAddress has read the forwarded headers according to the configuration, and resolveSchool replaces them.
  koa.proxy = true
  koa.on('error', logResponseErrors(log))
  return koa
}

/** The parts that requests for stored responses share with the pipeline. */
export interface Entrance {
  table: ResponseTable
  addressOf(request: IncomingMessage): string
  record: RecordRequest
  reportBlock: ReportBlock
  begunRequests: BegunRequests
}

export const createEntrance = (foundation: Foundation): Entrance => ({
  table: createResponseTable(foundation),
  addressOf: addressReader(foundation.config.server.trusted_proxies),
  record: createRecorder(foundation, (path) => withoutCalendarToken(withoutInteractionId(path))),
  reportBlock: createReportBlock(foundation),
  begunRequests: new WeakMap(),
})

/** Returns the middleware that every request passes before the routes, in order. */
export const beforeRoutes = (
  { runtime, originPolicy, log, keyring, loop, tracing }: Foundation,
  { table, addressOf, record, reportBlock, begunRequests }: Entrance,
): Middleware<RequestState>[] => [
  inOrder([markOwnRequests, setRequestId, originForm, arriveWithin(30, isUpload), setAddress(addressOf)]),
  storeResponses(table, changesSchool),
  recordRequests({ record, loop, reportBlock, tracing, begunRequests }),
  securityHeaders(),
  cors({ policy: originPolicy, schoolOf: (host) => runtime.schools.byHost(host), isPage }),
  renderProblems(log, (path, school) =>
    school && path.startsWith(`${apiPath}/`) ? errorsUrl(schoolConfigOf(runtime, school)) : undefined,
  ),
  answerProbes((text, signature) => keyring.verify('probes', text, signature)),
  inOrder([
    limitRequest,
    refuseEncodedBodies,
    resolveSchool((host) => runtime.schools.byHost(host)),
    rememberLanguage((path) => path === '/' || isPage(path) || isSitePath(path)),
  ]),
]

/** Endpoints of programs. The others are pages, and a page says that it is not found. */
const endpointPaths = new Set<string>([paths.mcp, ...Object.values(endpoints).map(({ path }) => path)].filter((path) => !isPage(path)))

/** Reads the paths of documents with additional slashes as the paths that they mean. */
export const readSlashes = (documents: Pick<AgentDocuments, 'isPath'>): Middleware<RequestState> =>
  inOrder([
    plainSlashes({
      isDocument: (path) =>
        path.startsWith('/.well-known/') || path === paths.openApi || path === endpoints.jwks.path || documents.isPath(path),
      isEndpoint: (path) => endpointPaths.has(path),
    }),
  ])

/** True if the request may have added events for webhooks: sign-ins and consents end with a GET. */
const mayAddEvents = (ctx: Context): boolean => !/^(GET|HEAD|OPTIONS)$/.test(ctx.method) || ctx.path.startsWith('/oauth/')

/** Delivers webhooks soon after the request that caused them. The next poll delivers those of other processes. */
export const deliverAfterWrites = ({ runtime }: Foundation, outbox: Pick<OutboxWorker, 'wake'>): Middleware<RequestState> =>
  afterWrites(mayAddEvents, (school) => {
    if (hasWebhooks(runtime, school)) outbox.wake()
  })

/** True if the request may have changed what the documents of the school show. */
const changesSchool = ({ method, path }: Context): boolean => method !== 'GET' && method !== 'HEAD' && path.startsWith(`${apiPath}/`)
