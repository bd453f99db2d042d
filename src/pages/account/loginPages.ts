import { accountPaths } from '../../base/accountPaths.ts'
import { Problem } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import { changePassword, hasPassword } from '../../identity/accounts/changePassword.ts'
import { hashPassword } from '../../identity/accounts/password.ts'
import { startBrowserSession } from '../../identity/oidc/browserSession.ts'
import { sessionSeconds } from '../../identity/oidc/sessionSeconds.ts'
import { signInDetails } from '../signInDetails.ts'
import { showTooMany } from '../tooMany.ts'
import { endEveryGrant, endEverySession } from './endAccess.ts'
import { emailSection, passwordSection, secondStepSection } from './loginSections.ts'
import { issueKeys, passwordNumbers } from './newPasswordPages.ts'
import { explained, type OwnPage, type OwnRequest, Refused } from './ownPage.ts'
import { ownPasswordAttempt } from './ownPasswordAttempt.ts'

interface Shown {
  isWithPassword: boolean
  /** The address that waits for its confirmation. */
  pending: string | undefined
}

/** The page on which people change the address and the password that they sign in with. */
export const loginPage: OwnPage<Shown> = {
  path: accountPaths.login,
  notices: { email: 'login.done_email', email_kept: 'login.done_email_kept', password: 'login.done_password' },
  async read({ reader, accountId, perform }) {
    const { body } = await perform('getAccount')
    const pending = typeof body.pending_email === 'string' ? body.pending_email : undefined
    return { pending, isWithPassword: await hasPassword(reader, accountId) }
  },
  build(context, { pending, isWithPassword }) {
    const { ctx, services, school } = context.request
    const typed = ctx.path === accountPaths.changeEmail ? context.sent?.get('email') : ctx.path === accountPaths.resendEmail ? pending : ''
    return {
      title: 'login.title',
      heading: context.texts.text('login.heading'),
      sections: [
        emailSection(context, { pending, typed: typed ?? '' }),
        passwordSection(context, isWithPassword),
        ...(services.secondFactors.ruleOf(school) === 'off' ? [] : [secondStepSection(context)]),
      ],
    }
  },
  forms: {
    email: {
      isConfirmed: true,
      async run(request) {
        const { texts } = await request.pageContext()
        const email = deliverableEmail((request.sent.get('email') ?? '').slice(0, 1000))
        if (email === undefined) throw new Refused(400, { field: 'email', text: texts.text('account_form.no_address') })
        if (email === request.person.who.email) throw new Refused(400, { field: 'email', text: texts.text('login.email_same') })
        return await mailTo(request, 'changeEmail', { email })
      },
    },
    'email/resend': { run: (request) => mailTo(request, 'resendEmailChange', {}) },
    // The API cancels a pending change if it is given the current address.
    'email/cancel': {
      async run({ perform, person }) {
        await perform('changeEmail', undefined, { body: { email: person.who.email } })
        return 'email_kept'
      },
    },
    password: { run: changeOwnPassword },
  },
}

/** Calls an operation about the address, which limits the e-mails to it. */
async function mailTo(request: OwnRequest, operation: 'changeEmail' | 'resendEmailChange', body: { email?: string }): Promise<string> {
  const { texts } = await request.pageContext()
  try {
    await request.perform(operation, undefined, { body, language: texts.language })
  } catch (error) {
    if (error instanceof Problem && error.code === 'rate_limited') {
      const minutes = showTooMany(request.ctx, Number(error.headers['Retry-After'] ?? 60))
      throw new Refused(429, { field: 'email', text: texts.text('account_form.too_many', { minutes }) })
    }
    const { status, code } = explained(error)
    throw new Refused(status, { text: texts.text(code === 'invalid_state' ? 'login.email_not_pending' : 'account_form.no_address') })
  }
  return 'email'
}

async function changeOwnPassword(request: OwnRequest): Promise<string> {
  const { ctx, services, school, sent, accountId, person } = request
  const { who, isRemembered } = person
  const { texts, schoolName } = await request.pageContext()
  const refuse = (field: 'current' | 'password' | 'repeated', text: string, status = 400) => new Refused(status, { field, text })
  const [current, chosen] = [sent.get('current') ?? '', sent.get('password') ?? '']
  const issue = await services.checkNewPassword(chosen, { ...who, schoolName })
  if (issue !== undefined) throw refuse('password', texts.text(issueKeys[issue], passwordNumbers))
  if (chosen !== sent.get('repeated')) throw refuse('repeated', texts.text(issueKeys.differs))
  const attempt = await ownPasswordAttempt(request, current)
  if (attempt.outcome === 'limited')
    throw refuse('current', texts.text('sign_in.too_many', { minutes: showTooMany(ctx, attempt.retryAfterSeconds) }), 429)
  if (attempt.outcome === 'wrong') throw refuse('current', texts.text('login.password_wrong'))
  if (chosen === current) throw refuse('password', texts.text('login.password_same'))
  const owner = { schoolId: school.id, email: who.email, address: ctx.state.address }
  const passwordHash = await services.limits.signIn.newPassword(owner, () => hashPassword(chosen))
  const signedInAt = await changePassword(request.database, { accountId, passwordHash })
  if (signedInAt === undefined) return accountPaths.signIn
  await request.audit('password.changed', { details: { via: 'account page', ...signInDetails(ctx, signedInAt) } })
  await services.notify(ctx, accountId, 'password_changed', {})
  await endEverySession(request)
  await services.knownBrowsers.remember(ctx, { email: who.email })
  if (sent.get('disconnect') !== null) await endEveryGrant(request)
  const lifeSeconds = sessionSeconds(services.oauth(), isRemembered)
  await startBrowserSession(ctx, await services.provider(ctx), { accountId, signedInAt, amr: ['pwd'], isRemembered, lifeSeconds })
  return 'password'
}
