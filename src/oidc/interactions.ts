import { type Configuration, interactionPolicy } from 'oidc-provider'
import { interactionPath } from './endpoints.ts'

/**
 * Configures when the engine prompts. Every authorization gets a separate grant: revoking one client on one machine does not affect others,
 * and a loopback client, which any program on the machine can imitate, is confirmed every time (RFC 8252 section 8.6).
 */
export function interactions(): Pick<Configuration, 'interactions' | 'loadExistingGrant'> {
  const policy = interactionPolicy.base()
  policy.get('login')?.checks.add(
    new interactionPolicy.Check('account_gone', 'the account that was signed in is no longer active', 'login_required', (ctx) => {
      const { session, account } = ctx.oidc
      return session?.accountId && !account ? interactionPolicy.Check.REQUEST_PROMPT : interactionPolicy.Check.NO_NEED_TO_PROMPT
    }),
  )
  return {
    interactions: { policy, url: (_ctx, interaction) => `${interactionPath}/${interaction.uid}` },
    async loadExistingGrant(ctx) {
      const grantId = ctx.oidc.result?.consent?.grantId
      return grantId ? ctx.oidc.provider.Grant.find(grantId) : undefined
    },
  }
}
