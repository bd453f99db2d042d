import type { Context, Middleware } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import { Problem } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import { changePassword, hasPassword } from '../../identity/accounts/changePassword.ts'
import { startBrowserSession } from '../../identity/oidc/browserSession.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { seeOther } from '../seeOther.ts'
import { signInDetails } from '../signInDetails.ts'
import type { TextKey } from '../texts.ts'
import { showTooMany } from '../tooMany.ts'
import type { AccountArguments } from './accountArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import { endEveryGrant, endEverySession } from './endAccess.ts'
import { emailSection, passwordSection, secondStepSection } from './loginSections.ts'
import { issueKeys, passwordNumbers } from './newPasswordPages.ts'
import { explained, type OwnError, type OwnPages } from './ownPage.ts'
import { ownPasswordAttempt } from './ownPasswordAttempt.ts'
import { type SignedInPerson, signedInOrAway } from './signedInPerson.ts'

/** The page on which people change the address and the password that they sign in with. */
export interface LoginPages {
  show: Middleware
  changeEmail: Middleware
  resendEmail: Middleware
  cancelEmail: Middleware
  changePassword: Middleware
}

const notices = {
  email: 'login.done_email',
  email_kept: 'login.done_email_kept',
  password: 'login.done_password',
} as const satisfies Record<string, TextKey>

export function loginPages(args: AccountArguments, present: AccountPresenter, pages: OwnPages): LoginPages {
  const path = accountPaths.login

  const showPage = async (ctx: Context, person: SignedInPerson, errors: readonly OwnError[] = [], typed = ''): Promise<void> => {
    const { school } = ctx.state
    const { body } = await args.perform(ctx, person.accountId, 'getAccount')
    const isWithPassword = await hasPassword(args.databaseOf(school.id).kysely, person.accountId)
    const pending = typeof body.pending_email === 'string' ? body.pending_email : undefined
    await pages.show(ctx, person, { path, notices, errors }, (context) => ({
      title: 'login.title',
      heading: context.texts.text('login.heading'),
      sections: [
        emailSection(context, { pending, typed }),
        passwordSection(context, isWithPassword),
        ...(args.secondStep(school) === 'off' ? [] : [secondStepSection(context)]),
      ],
    }))
  }

  const refuse = async (
    ctx: Context,
    person: SignedInPerson,
    { status, ...error }: { status: number; field?: string; text: string },
    typed = '',
  ) => {
    ctx.status = status
    await showPage(ctx, person, [error], typed)
  }

  /** Calls an operation about the address, which limits the e-mails to it. */
  const mailTo = async (ctx: Context, person: SignedInPerson, email: string, operation: 'changeEmail' | 'resendEmailChange') => {
    const { texts } = await present.pageContext(ctx)
    try {
      const body = operation === 'changeEmail' ? { email } : {}
      await args.perform(ctx, person.accountId, operation, { body, language: texts.language })
    } catch (error) {
      if (error instanceof Problem && error.code === 'rate_limited') {
        const minutes = showTooMany(ctx, Number(error.headers['Retry-After'] ?? 60))
        return refuse(ctx, person, { status: 429, field: 'email', text: texts.text('account_form.too_many', { minutes }) }, email)
      }
      const { status, code } = explained(error)
      const key = code === 'invalid_state' ? 'login.email_not_pending' : 'account_form.no_address'
      return refuse(ctx, person, { status, text: texts.text(key) }, email)
    }
    seeOther(ctx, `${path}?done=email`)
  }

  return {
    async show(ctx) {
      const person = await signedInOrAway(ctx, args, path)
      if (person) await showPage(ctx, person)
    },

    async changeEmail(ctx) {
      const form = submittedForm(ctx)
      const person = await pages.confirmedOwner(ctx, path)
      if (!person) return
      const { texts } = await present.pageContext(ctx)
      const typed = (form.get('email') ?? '').slice(0, 1000)
      const email = deliverableEmail(typed)
      const issue = email === undefined ? 'account_form.no_address' : email === person.who.email ? 'login.email_same' : undefined
      if (issue !== undefined || email === undefined)
        return refuse(ctx, person, { status: 400, field: 'email', text: texts.text(issue ?? 'account_form.no_address') }, typed)
      await mailTo(ctx, person, email, 'changeEmail')
    },

    async resendEmail(ctx) {
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { body } = await args.perform(ctx, person.accountId, 'getAccount')
      await mailTo(ctx, person, String(body.pending_email ?? ''), 'resendEmailChange')
    },

    // The API cancels a pending change if it is given the current address.
    async cancelEmail(ctx) {
      const person = await pages.owner(ctx, path)
      if (!person) return
      await args.perform(ctx, person.accountId, 'changeEmail', { body: { email: person.who.email } })
      seeOther(ctx, `${path}?done=email_kept`)
    },

    async changePassword(ctx) {
      const { school } = ctx.state
      const form = submittedForm(ctx)
      const person = await pages.owner(ctx, path)
      if (!person) return
      const { accountId, who } = person
      const { texts, schoolName } = await present.pageContext(ctx)
      const [current, chosen] = [form.get('current') ?? '', form.get('password') ?? '']
      const issue = await args.checkNewPassword(chosen, { ...who, schoolName })
      if (issue !== undefined)
        return refuse(ctx, person, { status: 400, field: 'password', text: texts.text(issueKeys[issue], passwordNumbers) })
      if (chosen !== form.get('repeated'))
        return refuse(ctx, person, { status: 400, field: 'repeated', text: texts.text(issueKeys.differs) })

      const attempt = await ownPasswordAttempt(ctx, args, person, current)
      if (attempt.outcome === 'limited') {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return refuse(ctx, person, { status: 429, field: 'current', text: texts.text('sign_in.too_many', { minutes }) })
      }
      if (attempt.outcome === 'wrong')
        return refuse(ctx, person, { status: 400, field: 'current', text: texts.text('login.password_wrong') })
      if (chosen === current) return refuse(ctx, person, { status: 400, field: 'password', text: texts.text('login.password_same') })
      const owner = { schoolId: school.id, email: who.email, address: ctx.state.address }
      const passwordHash = await args.limits.signIn.newPassword(owner, () => args.hashPassword(chosen))
      const signedInAt = await changePassword(args.databaseOf(school.id), { accountId, passwordHash })
      if (signedInAt === undefined) return seeOther(ctx, accountPaths.signIn)
      const details = { via: 'account page', ...signInDetails(ctx, signedInAt) }
      await args.audit(auditEntry(ctx, 'password.changed', { account_id: accountId, details }))
      await args.notify(ctx, accountId, 'password_changed', {})
      await endEverySession(ctx, args, accountId)
      await args.knownBrowsers.remember(ctx, { email: who.email })
      if (form.get('disconnect') !== null) await endEveryGrant(ctx, args, accountId)
      const { isRemembered } = person
      const lifeSeconds = args.sessionSeconds(isRemembered)
      await startBrowserSession(ctx, await args.provider(ctx), { accountId, signedInAt, amr: ['pwd'], isRemembered, lifeSeconds })
      seeOther(ctx, `${path}?done=password`)
    },
  }
}
