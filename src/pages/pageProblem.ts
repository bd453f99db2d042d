import { Problem, type ProblemCode, type ProblemOptions } from '../base/problem.ts'

export type PageErrorKind =
  | 'unknown_app'
  | 'expired_app'
  | 'disabled_app'
  | 'document_app'
  | 'refused_document'
  | 'unregistered_address'
  | 'interaction_expired'
  | 'already_allowed'
  | 'already_refused'
  | 'foreign_form'
  | 'foreign_account_form'
  | 'foreign_school_form'
  | 'nothing_here'
  | 'no_such_page'
  | 'wrong_unsubscribe_link'
  | 'bad_request'
  | 'busy'
  | 'unavailable'
  | 'server_error'

/** A problem whose page does not follow from its code alone. */
export class PageProblem extends Problem {
  readonly kind: PageErrorKind

  constructor(kind: PageErrorKind, code: ProblemCode, options: ProblemOptions = {}) {
    super(code, options)
    this.kind = kind
  }
}

export const pageProblem = (kind: PageErrorKind, code: ProblemCode, description: string): PageProblem =>
  new PageProblem(kind, code, { description })
