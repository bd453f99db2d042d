import type { TraceContext } from '../log/traceContext.ts'
import type { School } from '../school.ts'
import type { StoredDocument } from './document.ts'

export interface RequestState {
  /** `req_…`, in every response and every log line. */
  requestId: string
  /** The span of this request; without traces the span of the caller, if the request names one. */
  trace?: Pick<TraceContext, 'traceId' | 'spanId'> | undefined
  /** The caller's network address, as reported by trusted proxies. */
  address: string
  school: School
  /** True for requests that the service sends to itself: they are not logged, counted or audited. External requests cannot set it. */
  isOwn?: true
  /** True if `schoolgate doctor` registers a client for a check. */
  isTemporary?: true
  /** The document of this response, if the response table may store the response. */
  storable?: { document: StoredDocument; contentType: string; freshMilliseconds: number }
  /** The version of what visitors can read of the school, read together with the count of the request. */
  contentVersion?: Promise<string | undefined> | undefined
  /** Id of the operation, for the log and the metrics. Where it is not set, the path decides. */
  operation?: string
  /** To be called when code of the request goes on after it has read the body: see `LoopWatch`. */
  resumed?: () => void
  /** The client that the request names, checked or not, in at most 200 characters of plain ASCII. */
  clientId?: string | undefined
  /** The account of the person that the request acts for. */
  accountId?: string | undefined
  /** The live grant of the token that was presented. */
  grantId?: string | undefined
  /** The value of the cookie for forms that this response sets. */
  newBrowser?: string
  problem?: { code: string; limit?: string | undefined } | undefined
  /** Path of the resource that a challenge links to, if it is not the whole origin. */
  challengePath?: '' | '/mcp'
}

declare module 'koa' {
  /** The state of every context. Middleware before the tenant's resolution declares which members it can rely on. */
  interface DefaultState extends RequestState {}
}
