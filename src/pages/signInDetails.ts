import type { Context } from 'koa'
import { browserName } from '../base/text/browserName.ts'

/** Returns the details of the audit entry of a sign-in, by which the list of sign-ins finds its device. `signedInAt` is the `auth_time`. */
export const signInDetails = (ctx: Context, signedInAt: number) => ({
  signed_in_at: signedInAt,
  browser: browserName(ctx.get('User-Agent')),
})
