import { Problem, type ProblemCode } from '../lib/problem.ts'

/** What went wrong as a person meets it; each has its own way out on the error page. */
export type PageErrorKind =
  | 'unknown_app'
  | 'expired_app'
  | 'disabled_app'
  | 'unregistered_address'
  | 'interaction_expired'
  | 'foreign_form'
  | 'foreign_account_form'
  | 'nothing_here'
  | 'bad_request'
  | 'busy'
  | 'unavailable'
  | 'server_error'

/** A failure whose page is not told by its code alone. */
export function pageProblem(kind: PageErrorKind, code: ProblemCode, description: string): Problem {
  return new Problem(code, { description, details: [{ code: kind, message: description }] })
}
