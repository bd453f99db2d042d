import { passkeySignIn } from '../../identity/accounts/passkeySignIn.ts'
import { createChallenge } from '../../identity/factors/challenges.ts'
import { type SignInOptions, signInOptions } from '../../identity/factors/passkeyOptions.ts'
import { relyingParty } from '../../identity/factors/relyingParty.ts'
import { auditEntry } from '../auditEntry.ts'
import type { PageServices } from '../pagesArguments.ts'
import { attemptPasskey } from '../secondFactor/attemptFactor.ts'
import { showTooMany } from '../tooMany.ts'
import type { SignInStep, StepContext, StepRepeat } from './signInStep.ts'
import { isStaying, staySignedInBox } from './staySignedIn.ts'

type PasskeyContext = Pick<StepContext, 'school' | 'csrfToken'>

const name = 'passkey'

/**
 * Returns the options with which the page of the password offers passkeys in the field of the e-mail address; undefined if the school does
 * not use them. They name no account and no passkey.
 */
export function passkeyAutofill(args: PageServices, context: PasskeyContext): { step: string; options: SignInOptions } | undefined {
  const party = args.secondFactors.ruleOf(context.school) === 'off' ? undefined : relyingParty(context.school)
  if (!party) return undefined
  const binding = { schoolId: context.school.id, purpose: 'sign-in', browser: context.csrfToken() } as const
  return { step: name, options: signInOptions(party, { challenge: createChallenge(args.keyring, binding), isVerified: true }) }
}

/** Identifies the account by a passkey instead of e-mail address and password. The authenticator must have verified the person. */
export function passkeyStep(args: PageServices): SignInStep {
  return {
    name,
    prompt: 'login',
    choice: 'passkey_sign_in.choice',
    isNeeded: ({ account, school }) =>
      account === undefined && args.secondFactors.ruleOf(school) !== 'off' && relyingParty(school) !== undefined,
    async page(context, { values }) {
      const { texts } = await context.pageContext()
      const offered = passkeyAutofill(args, context)
      const box = staySignedInBox(texts, { days: args.oauth().lifetimes.session_days, isTicked: values?.remember !== undefined })
      return {
        form: {
          title: texts.text('passkey_sign_in.title'),
          heading: texts.text('passkey_sign_in.heading'),
          introduction: texts.parts('passkey_sign_in.introduction', {}),
          fields: [],
          submit: '',
          passkey: offered && { ...offered, label: texts.text('passkey_sign_in.submit'), boxes: [box] },
        },
      }
    },
    async answer({ ctx, open }, form) {
      const { address, school } = ctx.state
      const remember = isStaying(form)
      const values: StepRepeat['values'] = remember ? { remember: 'yes' } : {}
      const attempt = await args.limits.signIn.beginPasskey(address)
      if (!attempt.isAllowed) {
        const minutes = showTooMany(ctx, attempt.retryAfterSeconds)
        return { kind: 'repeat', status: 429, error: { key: 'sign_in.too_many', values: { minutes } }, values }
      }
      const client = open ? { client_id: open.clientId } : {}
      const proof = await attemptPasskey(ctx, args, { purpose: 'sign-in', form, isVerified: true })
      const account =
        proof.outcome === 'proved'
          ? await passkeySignIn(
              args.databaseOf(school.id),
              { accountId: proof.accountId },
              auditEntry(ctx, 'sign_in.succeeded', { account_id: proof.accountId, ...client, details: { by: 'passkey' } }),
            )
          : undefined
      if (proof.outcome !== 'proved' || !account) {
        await attempt.failed()
        await args.audit(auditEntry(ctx, 'sign_in.failed', client))
        return { kind: 'repeat', status: 400, error: { key: 'passkey_sign_in.failed' }, values }
      }
      await attempt.abandoned()
      ctx.state.accountId = account.accountId
      return { kind: 'done', account: { ...account, secondFactor: 'proved' }, amr: proof.amr, acr: proof.acr, remember }
    },
  }
}
