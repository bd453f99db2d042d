import type { Context, Middleware } from 'koa'
import { auditEntry } from './auditEntry.ts'
import type { FormState } from './formBody.ts'
import { isHandedOver } from './manualCode.ts'
import { finishInteraction, isAnswered, type OpenInteraction, openInteraction, resumeInteraction } from './openInteraction.ts'
import type { PagesArguments } from './pagesArguments.ts'

/** The person says no. The app learns that, and nothing about the person. */
export function answerRefusal(args: PagesArguments): Middleware {
  return async (ctx: Context) => {
    const open = await openInteraction(ctx, args)
    if (isAnswered(open)) return resumeInteraction(ctx, open)
    await refuse(ctx, args, open, 'The person refused the request.')
  }
}

/** Ends an authorization with `access_denied` (RFC 6749 section 4.1.2.1). */
export async function refuse(ctx: Context, args: PagesArguments, open: OpenInteraction, description: string): Promise<void> {
  const { form } = ctx.state as FormState
  const who = open.accountId === undefined ? {} : { account_id: open.accountId }
  await args.audit(auditEntry(ctx, 'consent.refused', { ...who, client_id: open.clientId, details: { reason: description } }))
  const answer = { error: 'access_denied', error_description: description, hand_over: isHandedOver(form, open) }
  await finishInteraction(ctx, open, answer, { merge: false })
}
