import type { Context, Middleware } from 'koa'
import { hash } from '../lib/keyring.ts'
import { subjectOf } from '../oidc/claims.ts'
import { interactionPath } from '../oidc/endpoints.ts'
import { refuse } from './answerRefusal.ts'
import { auditEntry } from './auditEntry.ts'
import { findConsenting } from './consentInteraction.ts'
import { type Decision, decide, type RequestedScopes, requestedScopes } from './consentScopes.ts'
import type { FormState } from './formBody.ts'
import { isHandedOver } from './manualCode.ts'
import { finishInteraction, isAnswered, type OpenInteraction, openInteraction, resumeInteraction } from './openInteraction.ts'
import type { PagesArguments } from './pagesArguments.ts'
import type { Presenter } from './presenter.ts'

/** Grants what was asked for, may be granted and was ticked. The form names ticks and nothing else; the rest is the stored request. */
export function answerConsent(args: PagesArguments, present: Presenter): Middleware {
  return async (ctx: Context) => {
    const { form } = ctx.state as FormState
    const open = await openInteraction(ctx, args)
    if (open.interaction.prompt.name !== 'consent') {
      ctx.status = 303
      return ctx.redirect(`${interactionPath}/${open.interaction.uid}`)
    }
    if (isAnswered(open)) return resumeInteraction(ctx, open)
    const consenting = await findConsenting(ctx, args, open)
    if (!consenting) {
      ctx.status = 403
      return present.signIn(ctx, open, { error: { key: 'sign_in.account_gone' } })
    }
    const { accountId, role } = consenting.person

    const requested = requestedScopes(open.interaction, args.scopes)
    const decision = decide(requested, args.grantable(role), new Set(form.getAll('scope')))
    if (decision.granted.length === 0) return refuse(ctx, args, open, 'Nothing of what was asked for was granted.')

    const manualCode = isHandedOver(form, open)
    const grantId = await saveGrant(open, subjectOf(accountId), requested, decision)
    const details = {
      granted: decision.granted.join(' '),
      refused: decision.refused.join(' '),
      resources: [...requested.resources.keys()],
      ...(manualCode ? { handed_over: true } : {}),
    }
    await args.audit(auditEntry(ctx, 'consent.granted', { account_id: accountId, client_id: open.clientId, grant_id: grantId, details }))
    await finishInteraction(ctx, open, { consent: { grantId }, hand_over: manualCode }, { merge: true })
  }
}

/**
 * A grant of its own for each authorization, and one at most: its id follows from the interaction's, so the same form sent again
 * names the same grant. A refusal that it did not record would be asked about again, for ever.
 */
async function saveGrant(
  { provider, clientId, interaction }: OpenInteraction,
  accountId: string,
  { resources }: RequestedScopes,
  { granted, refused }: Decision,
): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId })
  grant.jti = hash(`grant ${interaction.uid}`)
  grant.addOIDCScope(granted)
  if (refused.length > 0) grant.rejectOIDCScope(refused)
  for (const [resource, names] of resources) {
    const there = new Set(names)
    grant.addResourceScope(resource, new Set(granted).intersection(there))
    grant.rejectResourceScope(resource, new Set(refused).intersection(there))
  }
  return grant.save()
}
