import type { Context } from 'koa'
import { serveDocument, storeDocument } from '../http/document.ts'
import type { School } from '../policy/school.ts'

/**
 * Serves the school's custom stylesheet; caches keep it for one minute. The pages of this service do not link to it, so it cannot change
 * the forms of sign-in and consent.
 */
export function serveCustomStylesheet(readCss: (school: School) => Promise<string>) {
  return async (ctx: Context): Promise<void> => {
    const css = await readCss(ctx.state.school)
    ctx.set('X-Content-Type-Options', 'nosniff')
    serveDocument(ctx, storeDocument(css, { type: 'text/css; charset=utf-8', maxAgeSeconds: 60 }))
  }
}
