import { entry, finish, type Handler, limit, refuseAuthorizationHeader, throughEngine } from './endpointHandler.ts'
import { newExchange } from './engineTransaction.ts'
import { readEngineForm } from './readEngineForm.ts'

/** The revocation endpoint (RFC 7009): revoking any token of a grant revokes the grant. */
export const revoke: Handler = async (ctx, args) => {
  await limit(ctx, args, 'token')
  refuseAuthorizationHeader(ctx)
  const exchange = newExchange(await readEngineForm(ctx))
  await throughEngine(ctx, args, exchange)
  if (ctx.status === 200)
    for (const grantId of exchange.ended.keys()) exchange.audit.push({ ...entry(ctx, 'token.revoked', exchange), grant_id: grantId })
  ctx.set('Cache-Control', 'no-store')
  await finish(ctx, args, exchange)
}
