import { requireOutboundGuard } from '../../base/net/outboundSelfCheck.ts'
import type { Config } from '../../config/load.ts'
import type { AppArguments } from './appArguments.ts'
import { documentRules } from './clients.ts'

/**
 * Checks the guard of outgoing requests if a setting uses it. The service does not start, and a reload does not take effect, if the guard
 * lets a forbidden address through.
 */
export async function requireGuardIfUsed({ oauth, schools }: Config, { network }: Pick<AppArguments, 'network'>): Promise<void> {
  const sends = schools.some(
    ({ webhooks, integrations }) => webhooks.length > 0 || integrations.some(({ jwks_uri: address }) => address !== undefined),
  )
  if (documentRules(oauth) || sends) await requireOutboundGuard(network)
}
