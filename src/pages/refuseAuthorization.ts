import type { Context, Middleware } from 'koa'
import { auditEntry } from './auditEntry.ts'
import { submittedForm } from './formBody.ts'
import type { OpenInteraction } from './interaction.ts'
import { isManualCodeChosen } from './manualCode.ts'
import { finishInteraction, isAnswered, openInteraction, resumeInteraction } from './openInteraction.ts'
import type { PagesArguments } from './pagesArguments.ts'

/** Takes the form with which a person cancels an authorization request. The app learns nothing about the person. */
export function submitRefusal(args: PagesArguments): Middleware {
  return async (ctx: Context) => {
    const open = await openInteraction(ctx, args)
    if (isAnswered(open)) return resumeInteraction(ctx, open)
    await refuseAuthorization(ctx, args, open, 'The person refused the request.')
  }
}

/** Ends an authorization with `access_denied` (RFC 6749 section 4.1.2.1). */
export async function refuseAuthorization(
  ctx: Context,
  { audit }: Pick<PagesArguments, 'audit'>,
  open: OpenInteraction,
  description: string,
): Promise<void> {
  const form = submittedForm(ctx)
  const account = open.accountId === undefined ? {} : { account_id: open.accountId }
  await audit(auditEntry(ctx, 'consent.refused', { ...account, client_id: open.clientId, details: { reason: description } }))
  const result = { error: 'access_denied', error_description: description, hand_over: isManualCodeChosen(form, open) }
  await finishInteraction(ctx, open, result, { merge: false })
}
