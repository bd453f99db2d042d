import { grantTag } from '../../database/facts/fact.ts'
import type { FactChange } from '../../database/facts/factGuard.ts'
import { type ClientRequest, entry } from './endpointHandler.ts'
import { beginFind, loadMintingFacts } from './mintingFacts.ts'
import { artifactKey } from './tokenTags.ts'

// The steps of the revocation endpoint: see clientEndpoints.ts.

/** The mark that the grant of the token to revoke is about to change. */
interface Mark {
  change?: Promise<FactChange>
}

/**
 * Reads what the engine needs. The token names its grant, so the grant is marked as about to change in the round trip that looks the token up.
 * The hint may be wrong or missing (RFC 7009 section 2.1), so both kinds of tokens are looked up.
 */
export async function prefetchRevocation(request: ClientRequest): Promise<Mark> {
  const { ctx, exchange, admission, form, clientId } = request
  const { stores } = request.args
  const { school, isOwn } = ctx.state
  const place = { stores, schoolId: school.id }
  const value = form.get('token')
  const mark: Mark = {}
  const tag = value === null ? undefined : artifactKey(school.id, 'AccessToken', value).grantTag
  await stores.ephemeral.together(() => {
    if (value !== null) beginFind(exchange.facts, place, { model: 'AccessToken', value })
    if (tag !== undefined) mark.change = stores.facts.begin([{ schoolId: school.id, kind: 'grant', key: tag }])
    mark.change?.catch(() => undefined)
    return admission.count()
  })
  exchange.endingOf = (grantId) => ({
    audit: isOwn ? [] : [{ ...entry(ctx, 'token.revoked', exchange), grant_id: grantId }],
    begun: grantTag(school.id, grantId) === tag ? mark.change : undefined,
  })
  if (value !== null) await loadMintingFacts(exchange.facts, place, { presented: { model: 'RefreshToken', value }, clientId })
  return mark
}

export async function respondToRevocation({ ctx, args: { count }, exchange }: ClientRequest, { change }: Mark): Promise<void> {
  // Clients ignore the content (RFC 7009 section 2.2), but some libraries parse it.
  if (ctx.status === 200) ctx.body = {}
  ctx.set('Cache-Control', 'no-store')
  if (exchange.ended.size === 0) {
    // If that fails, the mark expires soon.
    await change?.then((begun) => begun.end()).catch(() => undefined)
  } else if (ctx.status === 200 && !ctx.state.isOwn) count('token.revoked')
}
