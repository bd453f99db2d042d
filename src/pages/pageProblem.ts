import { Problem, type ProblemCode } from '../lib/problem.ts'

/** The kind of an error page; each has its own instructions. */
export type PageErrorKind =
  | 'unknown_app'
  | 'expired_app'
  | 'disabled_app'
  | 'document_app'
  | 'refused_document'
  | 'unregistered_address'
  | 'interaction_expired'
  | 'foreign_form'
  | 'foreign_account_form'
  | 'foreign_school_form'
  | 'nothing_here'
  | 'no_such_page'
  | 'bad_request'
  | 'busy'
  | 'unavailable'
  | 'server_error'

/** Returns a problem whose page does not follow from its code alone. */
export function pageProblem(kind: PageErrorKind, code: ProblemCode, description: string): Problem {
  return new Problem(code, { description, details: [{ code: kind, message: description }] })
}
