import type { Context } from 'koa'

/**
 * Sets the headers of every HTML response: no script, no external resource, no frame, no trace in caches or referrers. `formTargets` are
 * origins to which a form of the page redirects: Chromium applies `form-action` to them, too.
 */
export function setPageHeaders(ctx: Context, formTargets: readonly (string | undefined)[] = []): void {
  const targets = ["'self'", ...formTargets.filter((target) => target !== undefined)].join(' ')
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      `form-action ${targets}`,
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'X-Frame-Options': 'DENY',
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
  })
}
