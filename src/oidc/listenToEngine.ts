import type { errors, Provider } from 'oidc-provider'
import { requestIds } from '../http/requestIds.ts'
import type { Log } from '../lib/log.ts'
import type { Exchanges } from './engineTransaction.ts'

const refusals = ['grant.error', 'revocation.error', 'introspection.error', 'userinfo.error', 'registration_create.error'] as const

/** Records what the engine reports to operators only: why it rejected a request, and internal errors. */
export function listenToEngine(provider: Provider, { exchanges, log }: { exchanges: Exchanges; log: Log }): void {
  for (const event of refusals) {
    provider.on(event as 'grant.error', (_ctx, error: errors.OIDCProviderError) => {
      const exchange = exchanges.getStore()
      if (exchange) exchange.refusal = { error: error.error, detail: error.error_detail }
    })
  }
  provider.on('authorization.error', (ctx, error) => {
    if (ctx.state.isOwn) return
    log.info({ ...requestIds(ctx.state), error: error.error, detail: error.error_detail }, 'authorization refused')
  })
  provider.on('server_error', (ctx, error) => log.error({ err: error, ...requestIds(ctx?.state) }, 'the engine failed'))
}
