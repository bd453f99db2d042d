import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../policy/accountPaths.ts'
import type { Csrf } from '../csrf.ts'
import { submittedForm } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { seeOther } from '../seeOther.ts'
import type { StepRunner } from '../steps/stepRunner.ts'
import type { AccountArguments } from './accountArguments.ts'
import { accountSignInHost } from './accountSignInHost.ts'
import { returnTo } from './returnTo.ts'
import { findSignedInPerson, formSubject } from './signedInPerson.ts'

/** The sign-in of the account pages, which runs the steps of the prompt `login`. */
export interface SignInPages {
  show: Middleware
  answer: Middleware
}

export function signInPages(args: AccountArguments, { csrf, runner }: { csrf: Csrf; runner: StepRunner }): SignInPages {
  return {
    async show(ctx: Context) {
      const target = returnTo(ctx.query.return_to, ctx.state.school)
      if (await findSignedInPerson(ctx, args)) return seeOther(ctx, target ?? accountPaths.home)
      const chosen = typeof ctx.query.step === 'string' ? ctx.query.step : undefined
      const startsOver = ctx.query.account === 'other'
      await runner.show(accountSignInHost(ctx, args, target), { prompt: 'login', chosen, startsOver })
    },
    async answer(ctx: Context) {
      const form = submittedForm(ctx)
      requireOwnForm(ctx, csrf, { subject: formSubject(), kind: 'foreign_account_form' })
      const target = returnTo(form.get('return_to') ?? undefined, ctx.state.school)
      await runner.answer(accountSignInHost(ctx, args, target), 'login')
    },
  }
}
