import type { Context, Middleware } from 'koa'
import { findSignedInAccount } from '../identity/accounts/signedInAccount.ts'
import { accountIdOf } from '../identity/oidc/claims.ts'
import { interactionPath } from '../identity/oidc/endpoints.ts'
import { findActiveAccount } from './activeAccount.ts'
import type { LaterSignIn, OpenInteraction } from './interaction.ts'
import { interactionHost } from './interactionHost.ts'
import { finishInteraction, isAnswered, isRepeated, openInteraction, resumeInteraction } from './openInteraction.ts'
import { pageProblem } from './pageProblem.ts'
import type { PagesArguments } from './pagesArguments.ts'
import { seeOther } from './seeOther.ts'
import type { StepRunner } from './steps/stepRunner.ts'

/** The pages of an authorization request, which run the steps of the engine's prompt. */
export interface InteractionPages {
  show: Middleware
  submitSignIn: Middleware
  submitConsent: Middleware
}

/** Returns the sign-in of this browser that happened since the request began, if its account can still be used. */
async function usableSignIn(
  ctx: Context,
  { databaseOf }: PagesArguments,
  { laterSignIn }: OpenInteraction,
): Promise<LaterSignIn | undefined> {
  const accountId = laterSignIn && accountIdOf(laterSignIn.accountId)
  if (!laterSignIn || accountId === undefined) return undefined
  const account = await findActiveAccount(ctx, (schoolId, id) => findSignedInAccount(databaseOf(schoolId), id), {
    accountId,
    signedInAt: laterSignIn.ts,
  })
  return account && laterSignIn
}

export function interactionPages(args: PagesArguments, runner: StepRunner): InteractionPages {
  return {
    async show(ctx: Context) {
      const open = await openInteraction(ctx, args)
      const { name: prompt } = open.interaction.prompt
      const host = interactionHost(ctx, args, open)
      const chosen = typeof ctx.query.step === 'string' ? ctx.query.step : undefined
      const startsOver = ctx.query.account === 'other'
      const login = startsOver ? undefined : await usableSignIn(ctx, args, open)
      if (login) return finishInteraction(ctx, open, { login: { ...login } }, { merge: false })
      if (prompt === 'login' || (prompt === 'consent' && startsOver)) return runner.show(host, { prompt: 'login', chosen, startsOver })
      if (prompt === 'consent') return runner.show(host, { prompt, chosen })
      throw pageProblem('bad_request', 'invalid_request', 'This page does not support the prompt that the app asked for.')
    },
    async submitSignIn(ctx: Context) {
      const open = await openInteraction(ctx, args)
      if (isRepeated(ctx, open)) return resumeInteraction(ctx, open)
      return runner.answer(interactionHost(ctx, args, open), 'login')
    },
    async submitConsent(ctx: Context) {
      const open = await openInteraction(ctx, args)
      if (open.interaction.prompt.name !== 'consent') return seeOther(ctx, `${interactionPath}/${open.interaction.uid}`)
      if (isAnswered(open)) return resumeInteraction(ctx, open)
      return runner.answer(interactionHost(ctx, args, open), 'consent')
    },
  }
}
