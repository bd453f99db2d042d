import type { Context } from 'koa'
import type { Verdict } from './pagesArguments.ts'

/** Returns the result of a rate limit if the limit is exceeded. */
export async function exceeded(verdict: Promise<Verdict>): Promise<Verdict | undefined> {
  const result = await verdict
  return result.allowed ? undefined : result
}

/** Sets status 429 and `Retry-After`. Returns the approximate number of minutes to wait. */
export function showTooMany(ctx: Context, retryAfterSeconds: number): number {
  ctx.status = 429
  ctx.set('Retry-After', String(Math.max(1, retryAfterSeconds)))
  return Math.max(1, Math.ceil(retryAfterSeconds / 60))
}
