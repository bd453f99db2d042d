import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import { registerClient } from '../store/clients.ts'
import { entry, finish, type Handler, limit, respondWithError, type ServiceArguments, throughEngine } from './endpointHandler.ts'
import { type Exchange, newExchange } from './engineTransaction.ts'
import { readRegistration, registrationResponse } from './readRegistration.ts'
import { orUnavailable } from './stores.ts'

/** Self-service registration (RFC 7591). */
export const register: Handler = async (ctx, args) => {
  const rules = args.registrationRules(ctx.state.school)
  if (!rules) throw new Problem('not_found', { description: 'This school takes no self-service registrations.' })
  await limit(ctx, args, 'registration')
  const { requestedScope } = await readRegistration(ctx, rules)
  const exchange = newExchange(new URLSearchParams())
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 201 && (await isSaved(ctx, args, exchange))) {
    ctx.body = registrationResponse(ctx.body as Record<string, unknown>, { requestedScope, knownScopes: args.scopes })
  }
  await finish(ctx, args, exchange)
}

/** Saves the registered client with its audit row. Otherwise the response becomes an error, and nothing was saved. */
async function isSaved(ctx: Context, { stores, count }: ServiceArguments, exchange: Exchange): Promise<boolean> {
  const { school, isOwn } = ctx.state
  const { client_name: name } = ctx.body as { client_name?: string }
  if (!exchange.registered) throw new Error('the engine registered no client')
  const { id, metadata } = exchange.registered
  ctx.state.clientId = id
  const audit = isOwn ? [] : [{ ...entry(ctx, 'client.registered', exchange), client_id: id, details: { client_name: name } }]
  try {
    await orUnavailable(stores, registerClient(stores.database, { schoolId: school.id, id, metadata }, audit))
    for (const { event } of audit) count(event)
    return true
  } catch (error) {
    respondWithError(ctx, exchange, error)
    return false
  }
}
