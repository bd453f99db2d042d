import { limitsOf } from '../framework/operationLimits.ts'
import { run } from '../framework/run.ts'
import { requireAllWithin } from '../http/rateLimitHeaders.ts'
import { Problem } from '../lib/problem.ts'
import type { PerformOwn } from '../pages/account/accountArguments.ts'
import type { PersonCaller } from '../policy/caller.ts'
import type { ExternalServices } from '../policy/externalServices.ts'
import { operationArguments } from './api.ts'
import { type Foundation, personIn } from './foundation.ts'

/**
 * Creates the function with which the account pages call operations of the API for the person who is signed in: the same checks, limits,
 * audit entries and change feed as for an app. The scope is that of the operation; role and row rules apply as always.
 */
export function createOwnOperations(foundation: Foundation, externalServices: ExternalServices): PerformOwn {
  const { operations, accounts, limits } = foundation
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const { operations: _operations, ...surroundings } = operationArguments(foundation, externalServices)
  return async (ctx, accountId, id, { parameters = {}, body, form, ifMatch, language } = {}) => {
    const { school, requestId, address } = ctx.state
    const operation = byId.get(id)
    if (!operation) throw new Error(`there is no operation ${id}`)
    const holder = { clientId: '', accountId, grantId: '' }
    const [person, counts] = await Promise.all([
      personIn(accounts)(school.id, accountId),
      limits.countApi(ctx, holder, limitsOf(operation, 'json')),
    ])
    requireAllWithin(counts)
    if (!person) throw new Problem('access_denied')
    const caller: PersonCaller = { kind: 'person', ...person, ...holder, scopes: new Set([operation.scope]), language }
    const sent = {
      parameters: () => parameters,
      body: async () => body,
      ...(form && { form: async () => form }),
      ...(ifMatch !== undefined && { ifMatch }),
    }
    return await run(operation, caller, sent, { ...surroundings, school, requestId, address })
  }
}
