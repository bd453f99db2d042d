import type { School } from '../policy/school.ts'

/** What every request carries once it has come through the door. */
export interface RequestState {
  /** `req_…`, on every answer and in every log line. */
  requestId: string
  /** The caller's network address as far as trusted proxies vouch for it. */
  address: string
  school: School
  /** The service itself made the request: it is not logged, counted or audited. A request from outside cannot have this. */
  isOwn?: true
  /** Path of the resource that a challenge points to, where it is not the whole origin. */
  challengePath?: '' | '/mcp'
}
