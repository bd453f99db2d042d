import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import { accountPaths } from '../../base/accountPaths.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import type { Language } from '../../base/text/languages.ts'
import { withQuery } from '../../base/text/withQuery.ts'
import { personName } from '../../identity/accounts/signUp.ts'
import { interactionPath } from '../../identity/oidc/endpoints.ts'
import { submittedForm } from '../formBody.ts'
import { type FormField, formField } from '../formPage.ts'
import { requireOwnForm } from '../ownForm.ts'
import type { PageContext } from '../pageContext.ts'
import { plainText } from '../plainText.ts'
import { type PageMessage, type TextKey, verbatim } from '../texts.ts'
import { exceeded, showTooMany } from '../tooMany.ts'
import type { AccountServices } from './accountArguments.ts'
import type { VisitorPage } from './ownPage.ts'
import { returnTo } from './returnTo.ts'
import { formSubject } from './signedInPerson.ts'

interface Typed {
  email: string
  name: string
}

interface Failure {
  error?: PageMessage
  fields?: Partial<Record<keyof Typed, TextKey>>
}

/**
 * Requests of a sign-up and of a password reset. The response does not reveal whether the address has an account: every
 * request writes the same to the outbox, and the look-up runs when the outbox delivers it.
 */
export function requestPages(services: AccountServices): { signUp: VisitorPage; forgotten: VisitorPage } {
  const { present } = services
  const kinds = {
    signUp: { key: 'sign_up', path: accountPaths.signUp, limit: services.limits.account.signUp },
    forgotten: { key: 'forgotten', path: accountPaths.forgottenPassword, limit: services.limits.account.passwordReset },
  } as const
  type Kind = (typeof kinds)[keyof typeof kinds]

  /** Schools without open sign-up show this to everybody, so that the text does not depend on the address. */
  const wordsFor = ({ isOpenToSignUp }: PageContext, key: Kind['key']): Kind['key'] | 'sign_up_invited' =>
    key === 'sign_up' && !isOpenToSignUp() ? 'sign_up_invited' : key

  const showForm = async (
    ctx: Context,
    { key, path }: Kind,
    target: string | undefined,
    typed?: Typed,
    failure: Failure & { isSent?: boolean } = {},
  ) => {
    const pageContext = await present.pageContext(ctx)
    const { texts, schoolName, accountDocuments } = pageContext
    const say = wordsFor(pageContext, key)
    const { error, fields = {}, isSent = false } = failure
    const hasFormError = error !== undefined
    const errorText = (key: TextKey | undefined): string => (key === undefined ? '' : texts.text(key))
    const email = formField(
      {
        name: 'email',
        type: 'email',
        label: texts.text('sign_in.email'),
        value: plainText(typed?.email, 254),
        autocomplete: key === 'sign_up' ? 'email' : 'username',
        error: errorText(fields.email),
      },
      { hasFormError },
    )
    const name: FormField = formField({
      name: 'name',
      type: 'text',
      label: texts.text('sign_up.name'),
      value: plainText(typed?.name, 120),
      autocomplete: 'name',
      maxLength: 120,
      error: errorText(fields.name),
    })
    await present.form(ctx, {
      title: texts.text(isSent ? 'mail_sent.title' : `${key}.title`),
      heading: texts.text(isSent ? 'mail_sent.heading' : `${key}.heading`, { school: schoolName }),
      introduction: isSent
        ? [...texts.parts(`${say}.sent`, { email: typed?.email ?? '' }), ...verbatim(texts, ' '), ...texts.parts('mail_sent.hint', {})]
        : texts.parts(`${say}.introduction`, { school: schoolName }),
      error: error ? texts.text(error.key, error.values) : '',
      action: path,
      subject: formSubject(),
      hidden: target === undefined ? [] : [{ name: 'return_to', value: target }],
      fields: key === 'sign_up' ? [email, name] : [email],
      documents: key === 'sign_up' && !isSent ? accountDocuments : undefined,
      submit: texts.text(isSent ? 'mail_sent.again' : `${key}.submit`),
      links: [{ href: signInAgain(target), label: texts.text('account_links.sign_in') }],
    })
  }

  const read = ({ key }: Kind, form: URLSearchParams): { typed: Typed; wanted?: Typed; failure: Failure } => {
    const typed = { email: form.get('email') ?? '', name: form.get('name') ?? '' }
    const email = deliverableEmail(typed.email)
    const name = key === 'sign_up' ? personName(typed.name) : ''
    if (email !== undefined && name !== undefined) return { typed, wanted: { email, name }, failure: {} }
    const fields = {
      ...(email === undefined ? { email: 'account_form.no_address' as const } : {}),
      ...(name === undefined ? { name: 'sign_up.no_name' as const } : {}),
    }
    return { typed, failure: { fields } }
  }

  const pages = (
    kind: Kind,
    store: (ctx: Context, wanted: Typed & { return_to: string | null; language: Language }) => Promise<void>,
  ): VisitorPage => ({
    async show(ctx) {
      await showForm(ctx, kind, returnTo(ctx.query.return_to, ctx.state.school))
    },
    async answer(ctx) {
      const { school, address } = ctx.state
      const form = submittedForm(ctx)
      requireOwnForm(ctx, present.csrf, { subject: formSubject(), kind: 'foreign_account_form' })
      const target = returnTo(form.get('return_to') ?? undefined, school)
      const { typed, wanted, failure } = read(kind, form)
      if (!wanted) {
        ctx.status = 400
        return showForm(ctx, kind, target, typed, failure)
      }
      const refused = (await exceeded(kind.limit(address))) ?? (await exceeded(services.limits.account.message(school.id, wanted.email)))
      if (refused) {
        const minutes = showTooMany(ctx, refused.retryAfterSeconds)
        return showForm(ctx, kind, target, typed, { error: { key: 'account_form.too_many', values: { minutes } } })
      }
      await keepForEmail(() => services.provider(ctx), target)
      const { texts } = await present.pageContext(ctx)
      await store(ctx, { ...wanted, return_to: target ?? null, language: texts.language })
      await showForm(ctx, kind, target, wanted, { isSent: true })
    },
  })

  return {
    signUp: pages(kinds.signUp, (ctx, wanted) =>
      services.defer(services.databaseOf(ctx.state.school.id).kysely, ctx.state.school.id, 'sign_up_request', wanted),
    ),
    forgotten: pages(kinds.forgotten, (ctx, { email, return_to, language }) => {
      const { school, requestId, address } = ctx.state
      const request = { request_id: requestId, address }
      return services.defer(services.databaseOf(school.id).kysely, school.id, 'password_reset_request', {
        email,
        return_to,
        language,
        request,
      })
    }),
  }
}

/**
 * Keeps the authorization request from which a person requested an e-mail until they return. The rate limit of e-mails limits the number of
 * kept requests.
 */
async function keepForEmail(provider: () => Promise<Provider>, target: string | undefined): Promise<void> {
  const uid = target?.startsWith(`${interactionPath}/`) ? target.slice(interactionPath.length + 1).split(/[/?]/, 1)[0] : undefined
  const interaction = uid ? await (await provider()).Interaction.find(uid) : undefined
  if (!interaction || interaction.result !== undefined) return
  interaction.result = { awaits_email: true }
  await interaction.persist()
}

/** Returns the path of the sign-in from which the person came: the one of an app or the account's own. */
export function signInAgain(target: string | undefined): string {
  return target?.startsWith(`${interactionPath}/`) ? target : withQuery(accountPaths.signIn, { return_to: target })
}
