import { ownFactors } from '../../identity/factors/ownFactors.ts'
import { contexts, isSatisfied, requestedContexts } from '../../identity/signIn/authenticationContext.ts'
import { auditEntry } from '../auditEntry.ts'
import type { PageServices } from '../pagesArguments.ts'
import { attemptFactor } from '../secondFactor/attemptFactor.ts'
import { codeField, ownPasskeyOptions } from '../secondFactor/factorForm.ts'
import { showTooMany } from '../tooMany.ts'
import type { SignInStep, StepContext } from './signInStep.ts'

const name = 'second-factor'

const introductions = {
  afterPassword: { app: 'second_factor.introduction', passkey: 'second_factor.introduction_passkey' },
  signedIn: { app: 'second_factor.introduction_signed_in', passkey: 'second_factor.introduction_signed_in_passkey' },
} as const

/** True if the app accepts no sign-in without a passkey whose authenticator has verified the person. */
export function needsPasskey({ open }: Pick<StepContext, 'open'>): boolean {
  const requested = requestedContexts(open?.interaction.params ?? {})
  return requested.isEssential && !isSatisfied(contexts.multiFactor, requested)
}

export function secondFactorStep(args: PageServices): SignInStep {
  return {
    name,
    prompt: 'login',
    isNeeded: ({ account, school }) => account?.secondFactor === 'pending' && args.secondFactors.ruleOf(school) !== 'off',
    async page(context, { error }) {
      const { account, school } = context
      if (!account) return undefined
      const { accountId } = account
      const factors = await ownFactors(args.databaseOf(school.id).kysely, { schoolId: school.id, accountId })
      const { texts } = await context.pageContext()
      const binding = { purpose: 'second factor', accountId, browser: context.csrfToken() } as const
      const isVerified = needsPasskey(context)
      const options = ownPasskeyOptions(args.keyring, school, { binding, factors, isVerified })
      // A code cannot reach the context that the app asks for.
      const isPasskeyOnly = isVerified && options !== undefined
      const isSignedIn = context.open?.accountId === accountId
      return {
        form: {
          title: texts.text('second_factor.title'),
          heading: texts.text('second_factor.heading'),
          introduction: isPasskeyOnly
            ? texts.parts('second_factor.introduction_only_passkey', {})
            : texts.parts(introductions[isSignedIn ? 'signedIn' : 'afterPassword'][factors.appSince ? 'app' : 'passkey'], {}),
          fields: isPasskeyOnly ? [] : [codeField(texts, factors, error)],
          submit: isPasskeyOnly ? '' : texts.text('second_factor.submit'),
          passkey: options && { step: name, options, label: texts.text('second_factor.passkey') },
        },
      }
    },
    async answer(context, form) {
      const { ctx, account, open } = context
      if (!account) return { kind: 'account gone' }
      const { accountId } = account
      ctx.state.accountId = accountId
      const attempt = await attemptFactor(ctx, args, { accountId, purpose: 'second factor', form, isVerified: needsPasskey(context) })
      if (attempt.outcome === 'proved') return { kind: 'done', amr: attempt.amr, acr: attempt.acr }
      if (attempt.outcome === 'limited') {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } } }
      }
      if (attempt.outcome === 'unusable') return { kind: 'repeat', status: 409, error: { key: 'second_factor.unusable' } }
      const client = open ? { client_id: open.clientId } : {}
      await args.audit(auditEntry(ctx, 'second_factor.failed', { account_id: accountId, ...client }))
      return { kind: 'repeat', status: 400, error: { key: 'second_factor.failed' } }
    },
  }
}
