import type { Context } from 'koa'
import { accountPaths } from '../../base/accountPaths.ts'
import type { School } from '../../base/school.ts'
import { browserName } from '../../base/text/browserName.ts'
import type { Language } from '../../base/text/languages.ts'
import { hashPassword } from '../../identity/accounts/password.ts'
import { findPasswordReset, finishPasswordReset } from '../../identity/accounts/passwordReset.ts'
import { advisedPasswordCharacters, minPasswordCharacters, type PasswordIssue } from '../../identity/accounts/passwordRule/passwordIssue.ts'
import { findSignUp, finishSignUp } from '../../identity/accounts/signUp.ts'
import { readBrowserSession } from '../../identity/oidc/browserSession.ts'
import { interactionPath } from '../../identity/oidc/endpoints.ts'
import { auditEntry } from '../auditEntry.ts'
import { submittedForm } from '../formBody.ts'
import { formField } from '../formPage.ts'
import { requestOrigin } from '../notifyPerson.ts'
import { requireOwnForm } from '../ownForm.ts'
import { plainText } from '../plainText.ts'
import { newProgress, withCompleted } from '../steps/stepProgress.ts'
import type { StepRunner } from '../steps/stepRunner.ts'
import type { TextKey } from '../texts.ts'
import type { AccountServices } from './accountArguments.ts'
import { accountSignInHost } from './accountSignInHost.ts'
import { endEveryGrant, endEverySession } from './endAccess.ts'
import { linkToken, showLinkEnded } from './linkEnded.ts'
import type { VisitorPage } from './ownPage.ts'
import { createAccountRequest } from './ownRequest.ts'
import { signInAgain } from './requestPages.ts'
import { formSubject } from './signedInPerson.ts'

interface LinkHolder {
  email: string
  name: string
  returnTo?: string | undefined
}

interface Purpose {
  key: 'finish_sign_up' | 'new_password'
  path: string
  /** The page that requests another link. */
  again: { path: string; label: TextKey }
  find(school: School, token: string): Promise<LinkHolder | undefined>
  /** Consumes the link. Returns the account; undefined if the link was no longer valid. */
  finish(ctx: Context, link: { token: string; passwordHash: string; language: Language }): Promise<{ accountId: string } | undefined>
  /** Continues after the password was chosen. Returns false if a message should be shown instead. */
  goOn?(ctx: Context, accountId: string, holder: LinkHolder): Promise<boolean>
  hasBox: boolean
}

export const issueKeys: Record<PasswordIssue | 'differs', TextKey> = {
  too_short: 'new_password.too_short',
  too_long: 'new_password.too_long',
  not_typed: 'new_password.not_typed',
  too_common: 'new_password.too_common',
  too_close: 'new_password.too_close',
  differs: 'new_password.differs',
}

export const passwordNumbers = { least: minPasswordCharacters, advised: advisedPasswordCharacters }

/** The pages on which a person chooses a password with an e-mail link, to finish a sign-up or to reset a forgotten password. */
export function newPasswordPages(services: AccountServices, runner: StepRunner): { finishSignUp: VisitorPage; newPassword: VisitorPage } {
  const { databaseOf, present } = services
  const showForm = async (
    ctx: Context,
    { key, path, hasBox }: Purpose,
    token: string,
    holder: LinkHolder,
    issue?: keyof typeof issueKeys,
  ) => {
    const { texts, schoolName, accountDocuments } = await present.pageContext(ctx)
    const error = issue === undefined ? '' : texts.text(issueKeys[issue], passwordNumbers)
    await present.form(ctx, {
      title: texts.text(`${key}.title`),
      heading: texts.text(`${key}.heading`, { school: schoolName }),
      introduction: texts.parts(`${key}.introduction`, {}),
      action: path,
      subject: formSubject(),
      hidden: [{ name: 'token', value: token }],
      fields: [
        formField({
          name: 'email',
          type: 'email',
          label: texts.text('sign_in.email'),
          value: plainText(holder.email, 254),
          autocomplete: 'username',
          isReadOnly: true,
        }),
        formField({
          name: 'password',
          type: 'password',
          label: texts.text('new_password.label'),
          autocomplete: 'new-password',
          maxLength: 1024,
          hint: texts.text('new_password.hint', passwordNumbers),
          error: issue === 'differs' ? '' : error,
        }),
        formField({
          name: 'repeated',
          type: 'password',
          label: texts.text('new_password.repeat'),
          autocomplete: 'new-password',
          maxLength: 1024,
          error: issue === 'differs' ? error : '',
        }),
      ],
      boxes: hasBox ? [{ name: 'disconnect', label: texts.text('new_password.disconnect') }] : [],
      documents: key === 'finish_sign_up' ? accountDocuments : undefined,
      submit: texts.text(`${key}.submit`),
    })
  }

  const pages = (purpose: Purpose): VisitorPage => {
    const ended = (ctx: Context): Promise<void> => showLinkEnded(ctx, present, purpose.again)
    return {
      // Opening the link does not consume it: mail programs and scanners open links, too.
      async show(ctx) {
        const token = linkToken(ctx.query.token)
        const holder = await purpose.find(ctx.state.school, token)
        if (!holder) return ended(ctx)
        await showForm(ctx, purpose, token, holder)
      },
      async answer(ctx) {
        const { school } = ctx.state
        const form = submittedForm(ctx)
        requireOwnForm(ctx, present.csrf, { subject: formSubject(), kind: 'foreign_account_form' })
        const token = linkToken(form.get('token'))
        const holder = await purpose.find(school, token)
        if (!holder) return ended(ctx)
        const { texts, schoolName } = await present.pageContext(ctx)
        const password = form.get('password') ?? ''
        const issue =
          (await services.checkNewPassword(password, { ...holder, schoolName })) ??
          (password === form.get('repeated') ? undefined : 'differs')
        if (issue !== undefined) {
          ctx.status = 400
          return showForm(ctx, purpose, token, holder, issue)
        }
        const owner = { schoolId: school.id, email: holder.email, address: ctx.state.address }
        const passwordHash = await services.limits.signIn.newPassword(owner, () => hashPassword(password))
        const finished = await purpose.finish(ctx, { token, passwordHash, language: texts.language })
        if (!finished) return ended(ctx)
        // The link proves access to the mailbox, so this browser is trusted like one that signed in.
        await services.limits.signIn.passwordChanged(owner)
        if (await purpose.goOn?.(ctx, finished.accountId, holder)) return
        await services.knownBrowsers.remember(ctx, { email: holder.email })
        await present.message(ctx, {
          title: texts.text(`${purpose.key}.done_title`),
          heading: texts.text(`${purpose.key}.done_heading`),
          paragraphs: [texts.parts(`${purpose.key}.done_explanation`, {})],
          links: [{ href: signInAgain(holder.returnTo), label: texts.text('account_links.go_on') }],
        })
      },
    }
  }

  return {
    finishSignUp: pages({
      key: 'finish_sign_up',
      path: accountPaths.finishSignUp,
      again: { path: accountPaths.signUp, label: 'account_links.sign_up' },
      hasBox: false,
      find: (school, token) => findSignUp(databaseOf(school.id).kysely, school, token),
      async finish(ctx, link) {
        const finished = await finishSignUp(databaseOf(ctx.state.school.id), ctx.state.school, link)
        if (finished?.outcome !== 'created') return undefined
        await services.audit(auditEntry(ctx, 'account.created', { account_id: finished.accountId, details: { via: 'sign_up' } }))
        return finished
      },
      goOn: (ctx, accountId, { email, returnTo }) => signInAfterSignUp(ctx, services, runner, { accountId, email, target: returnTo }),
    }),
    newPassword: pages({
      key: 'new_password',
      path: accountPaths.newPassword,
      again: { path: accountPaths.forgottenPassword, label: 'account_links.forgotten' },
      hasBox: true,
      find: (school, token) => findPasswordReset(databaseOf(school.id).kysely, school, token),
      async finish(ctx, link) {
        const { school } = ctx.state
        const form = submittedForm(ctx)
        const changed = await finishPasswordReset({ ...services, database: databaseOf(school.id) }, school, {
          ...link,
          from: requestOrigin(ctx),
        })
        if (!changed) return undefined
        const { accountId } = changed
        const request = createAccountRequest(services, ctx, accountId)
        await request.audit('password.changed', { details: { via: 'mailed link' } })
        await endEverySession(request)
        if (form.get('disconnect') !== null) await endEveryGrant(request)
        return changed
      },
    }),
  }
}

/**
 * Signs a person in who has just created an account: the e-mail link and the chosen password complete the step of the password, and other
 * needed steps follow. Leads to `target`, which can be the authorization request of an app. Returns false without signing in if the browser
 * is signed in with another account and an app waits for a sign-in: the request of the app belongs to that session.
 */
async function signInAfterSignUp(
  ctx: Context,
  services: AccountServices,
  runner: StepRunner,
  { accountId, email, target }: { accountId: string; email: string; target: string | undefined },
): Promise<boolean> {
  const password = services.steps(services).find(({ name }) => name === 'password')
  if (!password) return false
  const isRequestOfApp = target?.startsWith(`${interactionPath}/`) === true
  if (isRequestOfApp && (await readBrowserSession(ctx, await services.provider(ctx)))) return false
  const signedInAt = Math.floor(services.keyring.now() / 1000)
  const details = { via: 'sign_up', signed_in_at: signedInAt, browser: browserName(ctx.get('User-Agent')) }
  await services.audit(auditEntry(ctx, 'sign_in.succeeded', { account_id: accountId, details }))
  const account = { accountId, signedInAt, email, isNew: true, secondFactor: 'none' } as const
  await runner.goOn(accountSignInHost(ctx, services, target), 'login', withCompleted(newProgress(), password, { kind: 'done', account }))
  return true
}
