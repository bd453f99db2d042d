import { type Configuration, interactionPolicy, type KoaContextWithOIDC } from 'oidc-provider'
import { isSatisfied, requestedContexts } from '../signIn/authenticationContext.ts'
import { isMultiFactor } from '../signIn/authenticationMethods.ts'
import { accountIdOf } from './claims.ts'
import { interactionPath } from './endpoints.ts'

/** Rules of a school about the second factors of an account. */
export interface SignInRules {
  isRequired(accountId: string): Promise<boolean>
  reachable(accountId: string): Promise<readonly string[]>
}

/** Returns the id of the grant with which a request with `prompt=none` is answered; undefined if the person must be asked. */
export type FindSilentGrant = (ctx: KoaContextWithOIDC) => Promise<string | undefined>

const { Check } = interactionPolicy

/** Reasons for which the engine asks a person who is signed in for a stronger sign-in. */
export const stepUpReasons: ReadonlySet<string> = new Set(['acr_values', 'essential_acr', 'essential_acrs', 'second_factor_required'])

/**
 * Configures when the engine prompts. Every authorization that a person confirms gets a separate grant: revoking one client on one machine
 * does not affect others, and a loopback client, which any program on the machine can imitate, is confirmed every time (RFC 8252
 * section 8.6). A silent authorization reuses a grant, so it neither extends nor outlives what the person allowed.
 */
export function interactions(
  rules: SignInRules,
  findSilentGrant: FindSilentGrant,
): Pick<Configuration, 'interactions' | 'loadExistingGrant'> {
  const policy = interactionPolicy.base()
  const checks = policy.get('login')?.checks
  checks?.add(
    new Check('account_gone', 'the account that was signed in is no longer active', 'login_required', (ctx) => {
      const { session, account } = ctx.oidc
      return session?.accountId && !account ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )
  // The engine compares whole seconds: it would accept a sign-in of the same second (OpenID Connect Core section 3.1.2.1).
  checks?.add(
    new Check('max_age_zero', 'a sign-in for this request is required', 'login_required', ({ oidc: { params, session, result } }) => {
      const isMissing = session?.accountId !== undefined && String(params?.max_age) === '0' && !result?.login
      return isMissing ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )
  checks?.add(
    new Check('second_factor_required', 'the role of the person needs a second factor', 'login_required', async (ctx) => {
      const accountId = signedInAccount(ctx)
      const isMissing = accountId !== undefined && !isMultiFactor(ctx.oidc.session?.amr ?? []) && (await rules.isRequired(accountId))
      return isMissing ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )
  // The engine prompts for an essential context. A voluntary one is worth a prompt only if the person can reach it.
  checks?.add(
    new Check('acr_values', 'a requested authentication context can be reached', 'login_required', async (ctx) => {
      const { params = {}, prompts, result, acr } = ctx.oidc
      const accountId = signedInAccount(ctx)
      const requested = requestedContexts(params)
      if (accountId === undefined || requested.isEssential || prompts.has('none') || result?.login || isSatisfied(acr, requested)) {
        return Check.NO_NEED_TO_PROMPT
      }
      const reachable = await rules.reachable(accountId)
      return requested.values.some((value) => reachable.includes(value)) ? Check.REQUEST_PROMPT : Check.NO_NEED_TO_PROMPT
    }),
  )
  return {
    interactions: { policy, url: (_ctx, interaction) => `${interactionPath}/${interaction.uid}` },
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.prompts.has('none') ? await findSilentGrant(ctx) : ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
  }
}

/** The account that the browser is signed in with, if it is active. */
function signedInAccount({ oidc: { session, account } }: KoaContextWithOIDC): string | undefined {
  return session?.accountId && account ? accountIdOf(session.accountId) : undefined
}
