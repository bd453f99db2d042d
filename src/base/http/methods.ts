import type { Context } from 'koa'
import { Problem } from '../problem.ts'

/** Rejects every other method with 405 and `Allow` (RFC 9110 section 15.5.6), and responds to OPTIONS. */
export function allowMethods(ctx: Context, methods: readonly string[]): 'go on' | 'answered' {
  const allowed = [...methods, 'OPTIONS'].join(', ')
  if (ctx.method === 'OPTIONS') {
    ctx.set('Allow', allowed)
    ctx.status = 204
    return 'answered'
  }
  if (methods.includes(ctx.method)) return 'go on'
  throw new Problem('method_not_allowed', { description: `${ctx.path} takes ${methods.join(', ')}.`, headers: { Allow: allowed } })
}
