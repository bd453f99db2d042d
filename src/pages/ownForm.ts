import type { Context, Middleware } from 'koa'
import { isForeignForm } from '../base/http/foreignForm.ts'
import type { Csrf } from './csrf.ts'
import { submittedForm } from './formBody.ts'
import { type PageErrorKind, pageProblem } from './pageProblem.ts'

/**
 * Rejects a POST from another site before its body is read.
 * @throws Problem access_denied
 */
export function sameOriginOnly(kind: PageErrorKind = 'foreign_form'): Middleware {
  return (ctx: Context, next) => {
    const { school } = ctx.state
    if (isForeignForm(ctx, school.issuer)) {
      throw pageProblem(kind, 'access_denied', `This form was sent from another address than ${school.issuer}.`)
    }
    return next()
  }
}

/**
 * Rejects a form that was not shown in this browser for this interaction.
 * @throws Problem access_denied
 */
export function ownFormOnly(csrf: Csrf): Middleware {
  return (ctx: Context, next) => {
    requireOwnForm(ctx, csrf, { subject: String(ctx.params.uid), kind: 'foreign_form' })
    return next()
  }
}

/**
 * Rejects a form that was not shown in this browser for this subject.
 * @throws Problem access_denied
 */
export function requireOwnForm(ctx: Context, csrf: Csrf, { subject, kind }: { subject: string; kind: PageErrorKind }): void {
  requireToken(ctx, csrf, { subject, kind, token: submittedForm(ctx).get('csrf') ?? undefined })
}

/**
 * Rejects a form whose token was not issued in this browser for this subject.
 * @throws Problem access_denied
 */
export function requireToken(
  ctx: Context,
  csrf: Csrf,
  { subject, token, kind }: { subject: string; token: string | undefined; kind: PageErrorKind },
): void {
  if (csrf.isValid(ctx, subject, token)) return
  throw pageProblem(kind, 'access_denied', 'This form was not shown in this browser, or it is too old.')
}
