import type { Context, Middleware } from 'koa'
import { isOpenToSignUp } from '../../domain/accounts/signUpAllowed.ts'
import { startBrowserSession } from '../../oidc/browserSession.ts'
import { accountPaths, withQuery } from '../../policy/accountPaths.ts'
import type { School } from '../../policy/school.ts'
import { attemptSignIn, sayTooMany } from '../attemptSignIn.ts'
import type { FormState } from '../formBody.ts'
import { requireOwnForm } from '../ownForm.ts'
import { plainText } from '../plainText.ts'
import type { Said } from '../texts.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { formField } from './formPage.ts'
import { returnTo } from './returnTo.ts'
import { findSignedInPerson, formSubject, seeOther } from './signedIn.ts'

/** Signing in to look after one's own account. */
export interface SignInPages {
  show: Middleware
  answer: Middleware
}

export function signInPages(args: AccountArguments, present: AccountPresenter): SignInPages {
  const showForm = async (ctx: Context, { target, email = '', error }: { target: string | undefined; email?: string; error?: Said }) => {
    const { school } = ctx.state as { school: School }
    const { texts, schoolName } = await present.pageContext(ctx)
    const isBlamed = error !== undefined
    const isInvalid = error?.key === 'sign_in.failed'
    const further = { return_to: target }
    const title = texts.text(isInvalid ? 'sign_in.failed_title' : 'sign_in.title')
    await present.form(ctx, {
      title,
      heading: texts.text('sign_in.heading', { school: schoolName }),
      introduction: texts.parts('account_sign_in.introduction', {}),
      error: error ? texts.text(error.key, error.values) : '',
      action: accountPaths.signIn,
      subject: formSubject(),
      hidden: target === undefined ? [] : [{ name: 'return_to', value: target }],
      fields: [
        formField(
          { name: 'email', type: 'email', label: texts.text('sign_in.email'), value: plainText(email, 254), autocomplete: 'username' },
          { isBlamed, isInvalid },
        ),
        formField(
          { name: 'password', type: 'password', label: texts.text('sign_in.password'), autocomplete: 'current-password', maxLength: 1024 },
          { isBlamed, isInvalid },
        ),
      ],
      submit: texts.text('sign_in.submit'),
      asides: [
        { href: withQuery(accountPaths.forgottenPassword, further), label: texts.text('account_links.forgotten') },
        ...((await isOpenToSignUp(args.database.sql, school.id))
          ? [{ href: withQuery(accountPaths.signUp, further), label: texts.text('account_links.sign_up') }]
          : []),
      ],
    })
  }

  return {
    async show(ctx) {
      const target = returnTo(ctx.query.return_to, ctx.state.school)
      if (await findSignedInPerson(ctx, args)) return seeOther(ctx, target ?? accountPaths.apps)
      await showForm(ctx, { target })
    },
    async answer(ctx) {
      const { form, school } = ctx.state as FormState & { school: School }
      requireOwnForm(ctx, present.csrf, { subject: formSubject(), kind: 'foreign_account_form' })
      const target = returnTo(form.get('return_to') ?? undefined, school)
      const attempt = await attemptSignIn(ctx, { ...args, limits: args.limits.signIn })
      const { email } = attempt
      if (attempt.outcome === 'limited') {
        const minutes = sayTooMany(ctx, attempt.retryAfterSeconds)
        return showForm(ctx, { target, email, error: { key: 'sign_in.too_many', values: { minutes } } })
      }
      if (attempt.outcome === 'failed') {
        ctx.status = 400
        return showForm(ctx, { target, email, error: { key: 'sign_in.failed' } })
      }
      await startBrowserSession(ctx, await args.provider(ctx), { ...attempt.account, lifeSeconds: args.sessionSeconds() })
      seeOther(ctx, target ?? accountPaths.apps)
    },
  }
}
