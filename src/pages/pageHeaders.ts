import type { Context } from 'koa'
import type { School } from '../base/school.ts'
import { playerSources } from '../base/text/players.ts'
import type { Asset } from './asset.ts'

interface PageSources {
  /** Origins to which a form of the page redirects: Chromium applies `form-action` to them, too. */
  formTargets?: readonly (string | undefined)[]
  /** The only scripts that the page may run. */
  scripts?: readonly Asset[]
  /** True if the page may show the players of videos. */
  hasPlayers?: boolean
  /** True if the page plays uploaded files. */
  hasMedia?: boolean
}

/** Sets the headers of every HTML response: no external resource but players, no frame, no trace in caches or referrers, no script but the named ones. */
export function setPageHeaders(
  ctx: Context,
  { formTargets = [], scripts = [], hasPlayers = false, hasMedia = false }: PageSources = {},
): void {
  const { school }: { school?: School } = ctx.state
  const targets = ["'self'", ...formTargets.filter((target) => target !== undefined)].join(' ')
  ctx.set({
    'Content-Security-Policy': [
      "default-src 'none'",
      // With its path: uploaded files have the same origin, and none of them may run.
      ...(scripts.length > 0 && school ? [`script-src ${scripts.map(({ path }) => school.issuer + path).join(' ')}`] : []),
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "manifest-src 'self'",
      // Browsers that check a page, as Lighthouse does, read these documents in its name.
      ...(school ? [`connect-src ${school.issuer}/robots.txt ${school.issuer}/llms.txt`] : []),
      ...(hasPlayers ? [playerSources] : []),
      ...(hasMedia ? ["media-src 'self'"] : []),
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
