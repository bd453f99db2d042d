import { ownFactors } from '../../domain/secondFactors/ownFactors.ts'
import type { School } from '../../policy/school.ts'
import type { SecondStepRule } from '../../policy/secondStep.ts'
import { auditEntry } from '../auditEntry.ts'
import { attemptFactor, type FactorArguments } from '../secondFactor/attemptFactor.ts'
import { codeField, ownPasskeyOptions } from '../secondFactor/factorForm.ts'
import { showTooMany } from '../tooMany.ts'
import type { SignInStep } from './signInStep.ts'

export interface SecondFactorStepArguments extends FactorArguments {
  secondStep(school: School): SecondStepRule
}

const name = 'second-factor'

/** Asks an account that has a second factor for it, after the password. */
export function secondFactorStep(args: SecondFactorStepArguments): SignInStep {
  return {
    name,
    prompt: 'login',
    isNeeded: ({ account, school }) => account?.secondFactor === 'pending' && args.secondStep(school) !== 'off',
    async page(visit, { error }) {
      const { account, school } = visit
      if (!account) return undefined
      const { accountId } = account
      const factors = await ownFactors(args.database.kysely, { schoolId: school.id, accountId })
      const { texts } = await visit.pageContext()
      const binding = { purpose: 'second factor', accountId, browser: visit.csrfToken() } as const
      const options = ownPasskeyOptions(args.keyring, school, { binding, factors, isVerified: false })
      return {
        form: {
          title: texts.text('second_factor.title'),
          heading: texts.text('second_factor.heading'),
          introduction: texts.parts(factors.appSince ? 'second_factor.introduction' : 'second_factor.introduction_passkey', {}),
          fields: [codeField(texts, factors, error)],
          submit: texts.text('second_factor.submit'),
          passkey: options && { step: name, options, label: texts.text('second_factor.passkey') },
        },
      }
    },
    async answer({ ctx, account, open }, form) {
      if (!account) return { kind: 'account gone' }
      const { accountId } = account
      ctx.state.accountId = accountId
      const attempt = await attemptFactor(ctx, args, { accountId, purpose: 'second factor', form, isVerified: false })
      if (attempt.outcome === 'proved') return { kind: 'done', amr: attempt.amr }
      if (attempt.outcome === 'limited') {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } } }
      }
      const client = open ? { client_id: open.clientId } : {}
      await args.audit(auditEntry(ctx, 'second_factor.failed', { account_id: accountId, ...client }))
      return { kind: 'repeat', status: 400, error: { key: 'second_factor.failed' } }
    },
  }
}
