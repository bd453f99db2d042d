import type { Middleware } from 'koa'
import { isHtml } from '../base/http/isHtml.ts'
import { discoveryLinks } from './discoveryLinks.ts'
import { paths } from './schoolFacts.ts'

/** Adds links to the documents to every page (RFC 8288), and redirects `/.well-known/change-password` (W3C change-password-url). */
export function announceDocuments({ passwordPath }: { passwordPath: string }): Middleware {
  return async (ctx, next) => {
    if (ctx.path === paths.changePassword && ['GET', 'HEAD'].includes(ctx.method)) {
      ctx.redirect(ctx.state.school.issuer + passwordPath)
      return
    }
    await next()
    if (isHtml(ctx.res) && !ctx.res.hasHeader('Link')) ctx.set('Link', discoveryLinks(ctx.state.school.issuer))
  }
}
