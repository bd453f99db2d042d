import type { Step } from './inOrder.ts'

/**
 * Converts the request target to origin-form (RFC 9112 section 3.2.1). The host of an absolute-form target is as untrusted as a `Host`
 * header and would otherwise reach code that builds URLs from the request. An invalid target becomes `*`, for which there is no route.
 */
export const originForm: Step = (ctx) => {
  const target = ctx.req.url ?? '*'
  if (target.startsWith('/') || target === '*') return
  const url = URL.parse(target)
  const origin = url && /^https?:$/.test(url.protocol) ? url.pathname + url.search : '*'
  ctx.req.url = origin
  ctx.originalUrl = origin
  ctx.request.originalUrl = origin
}
