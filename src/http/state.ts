import type { School } from '../policy/school.ts'

/** What every request carries once it has come through the door. */
export interface RequestState {
  /** `req_…`, on every answer and in every log line. */
  requestId: string
  /** The caller's network address as far as trusted proxies vouch for it. */
  address: string
  school: School
  /** The service asks itself: nobody is to be told of it. No request from outside can have it. */
  isOwn?: true
  /** Path of the resource that a challenge points to, where it is not the whole origin. */
  challengePath?: '' | '/mcp'
}
