import type { School } from '../policy/school.ts'
import type { StoredDocument } from './document.ts'

/** Values that the first middleware set on every request. */
export interface RequestState {
  /** `req_…`, in every response and every log line. */
  requestId: string
  /** The caller's network address, as reported by trusted proxies. */
  address: string
  school: School
  /** True for requests that the service sends to itself: they are not logged, counted or audited. External requests cannot set it. */
  isOwn?: true
  /** The document of this response, if the response table may store the response. */
  storable?: { document: StoredDocument; contentType: string; freshMilliseconds: number }
  /** Path of the resource that a challenge links to, if it is not the whole origin. */
  challengePath?: '' | '/mcp'
}

declare module 'koa' {
  /** The state of every context. Middleware before the tenant's resolution declares which members it can rely on. */
  interface DefaultState extends RequestState {}
}
