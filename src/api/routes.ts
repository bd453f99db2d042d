import { Router } from '@koa/router'
import type { Context } from 'koa'
import type { Surroundings } from '../kit/call.ts'
import { apiPath, type Operation } from '../kit/operations.ts'
import { run } from '../kit/run.ts'
import { Problem } from '../lib/problem.ts'
import type { Caller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import { announce, answerWith } from './answer.ts'
import { rawParameters } from './rawParameters.ts'
import { byPrecedence, routePath } from './routePath.ts'

export interface ApiArguments {
  operations: readonly Operation[]
  database: Surroundings['database']
  /** Signs the cursors of lists. */
  signer: Surroundings['signer']
  /** Who calls: the anonymous caller where there is no token. Throws `invalid_token` where there is a bad one. */
  authenticate(ctx: Context): Promise<Caller>
}

/**
 * The school's REST API: one route per operation, all through the same `run`.
 * The school must stand in `ctx.state.school`; a Problem that is thrown here is rendered above.
 */
export function createApi({ operations, database, signer, authenticate }: ApiArguments): Router {
  const router = new Router({ sensitive: true })
  for (const operation of operations.toSorted(byPrecedence)) {
    router.register(routePath(operation.path), [operation.method], async (ctx) => {
      if (!ctx.accepts('json')) throw new Problem('not_acceptable', { description: 'This address answers application/json.' })
      const school = ctx.state.school as School
      const caller = await authenticate(ctx)
      announce(ctx, caller, school)
      answerWith(ctx, await run(operation, caller, () => rawParameters(ctx, operation), { database, school, signer }))
    })
  }
  const routes = [...router.stack]
  router.all([apiPath, `${apiPath}/{*rest}`], (ctx) => {
    const methods = routes.filter((route) => route.match(ctx.path)).flatMap((route) => route.methods)
    refuse(ctx, new Set(methods))
  })
  return router
}

/** What no route has taken: another method of a known address, or an unknown address. Says nothing about rows, so it asks for no token. */
function refuse(ctx: Context, methods: ReadonlySet<string>): void {
  if (methods.size === 0) {
    throw new Problem('not_found', {
      description: `There is nothing at ${ctx.path.slice(0, 100)}. The addresses of the API begin with /api/v1/.`,
    })
  }
  const allowed = [...methods, 'OPTIONS'].join(', ')
  ctx.set('Allow', allowed)
  if (ctx.method !== 'OPTIONS') {
    throw new Problem('method_not_allowed', { description: `${ctx.path.slice(0, 100)} takes ${allowed}.`, headers: { Allow: allowed } })
  }
  ctx.status = 204
}
