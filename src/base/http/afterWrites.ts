import type { Context, Middleware } from 'koa'
import type { School } from '../school.ts'
import type { RequestState } from './requestState.ts'

/** Calls `work` after each request that may have changed data of a school, whatever its response. */
export function afterWrites(mayWrite: (ctx: Context) => boolean, work: (school: School) => void): Middleware<RequestState> {
  return async (ctx, next) => {
    try {
      await next()
    } finally {
      const { school } = ctx.state as Partial<RequestState>
      if (school && mayWrite(ctx)) work(school)
    }
  }
}
