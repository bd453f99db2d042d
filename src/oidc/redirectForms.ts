import type { Context } from 'koa'
import { urlencodedFormReader } from '../http/urlencodedForm.ts'
import { Problem } from '../lib/problem.ts'
import { type Handler, type ServiceArguments, showProblemsOf } from './endpointHandler.ts'

const readText = urlencodedFormReader(32 * 1024)

/** A URL with more characters is not accepted by every gateway. */
const mostFormCharacters = 6000

/**
 * Wraps the handler of an endpoint that takes GET and POST (OpenID Connect Core section 3.1.2.1, RP-Initiated Logout section 2): a form is
 * redirected to the same parameters in the query. The cookies of this service are SameSite=Lax: a browser does not send them with the
 * form of another site, but it does send them with the redirected request.
 */
export const redirectForms =
  (handle: Handler): Handler =>
  (ctx, args) =>
    ctx.method === 'POST' ? redirectForm(ctx, args) : handle(ctx, args)

async function redirectForm(ctx: Context, args: ServiceArguments): Promise<void> {
  await showProblemsOf(ctx, args, async () => {
    if (!ctx.is('application/x-www-form-urlencoded')) {
      throw new Problem('invalid_request', {
        description:
          'Send the parameters as a form with Content-Type: application/x-www-form-urlencoded, or in the query of a GET request.',
      })
    }
    const query = new URLSearchParams(await readText(ctx)).toString()
    if (query.length > mostFormCharacters) {
      throw new Problem('payload_too_large', {
        description: `The form has ${query.length} characters and may have ${mostFormCharacters}. Send a shorter state: keep the rest in your app.`,
      })
    }
    ctx.status = 303
    ctx.set('Cache-Control', 'no-store')
    ctx.redirect(`${ctx.path}?${query}`)
  })
}
