import type { FactChange } from '../store/facts/factGuard.ts'
import { grantTag } from '../store/facts/factTags.ts'
import { admit, entry, finish, type Handler, refuseAuthorizationHeader, throughEngine } from './endpointHandler.ts'
import { newExchange } from './engineTransaction.ts'
import { beginFind, loadMintingFacts } from './mintingFacts.ts'
import { readEngineForm } from './readEngineForm.ts'
import { artifactKey } from './tokenTags.ts'

/** The revocation endpoint (RFC 7009): revoking any token of a grant revokes the grant. */
export const revoke: Handler = async (ctx, args) => {
  const { stores, count } = args
  const { school, isOwn } = ctx.state
  const place = { stores, schoolId: school.id }
  const admission = admit(ctx, args, 'token')
  try {
    refuseAuthorizationHeader(ctx)
    const exchange = newExchange(await readEngineForm(ctx))
    const value = exchange.form.get('token')
    // The token names its grant, so the grant is marked as about to change in the round trip that looks the token up.
    const tag = value === null ? undefined : artifactKey(school.id, 'AccessToken', value).grantTag
    let begun: Promise<FactChange> | undefined
    // The hint may be wrong or missing (RFC 7009 section 2.1), so both kinds of tokens are looked up.
    await stores.ephemeral.together(() => {
      if (value !== null) beginFind(exchange, place, { model: 'AccessToken', value })
      if (tag !== undefined) begun = stores.facts.begin([{ schoolId: school.id, kind: 'grant', key: tag }])
      begun?.catch(() => undefined)
      return admission.count()
    })
    exchange.endingOf = (grantId) => ({
      audit: isOwn ? [] : [{ ...entry(ctx, 'token.revoked', exchange), grant_id: grantId }],
      begun: grantTag(school.id, grantId) === tag ? begun : undefined,
    })
    if (value !== null) await loadMintingFacts(exchange, place, { model: 'RefreshToken', value })
    await throughEngine(ctx, args, exchange)
    // If that fails, the mark expires soon.
    if (exchange.ended.size === 0) await begun?.then((change) => change.end()).catch(() => undefined)
    else if (ctx.status === 200 && !isOwn) count('token.revoked')
    ctx.set('Cache-Control', 'no-store')
    await finish(ctx, args, exchange)
  } finally {
    // Counts requests that failed before.
    await admission.count()
  }
}
