import { Problem } from '../lib/problem.ts'
import { entry, finish, type Handler, limit, throughEngine } from './endpointHandler.ts'
import { newExchange } from './engineTransaction.ts'
import { readRegistration, registrationResponse } from './readRegistration.ts'

/** Self-service registration (RFC 7591). */
export const register: Handler = async (ctx, args) => {
  const rules = args.registrationRules(ctx.state.school)
  if (!rules) throw new Problem('not_found', { description: 'This school takes no self-service registrations.' })
  await limit(ctx, args, 'registration')
  const { requestedScope } = await readRegistration(ctx, rules)
  const exchange = newExchange(new URLSearchParams())
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 201) {
    ctx.body = registrationResponse(ctx.body as Record<string, unknown>, { requestedScope, knownScopes: args.scopes })
    const { client_id: clientId, client_name: name } = ctx.body as { client_id: string; client_name?: string }
    exchange.audit.push({ ...entry(ctx, 'client.registered', exchange), client_id: clientId, details: { client_name: name } })
  }
  await finish(ctx, args, exchange)
}
