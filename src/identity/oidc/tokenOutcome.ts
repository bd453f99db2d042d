import { errors } from 'oidc-provider'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { Artifact } from '../tokens/artifacts.ts'
import { type ClientRequest, entry, respondWithError } from './endpointHandler.ts'
import { endGrantOnce, type Redeemed } from './engineTransaction.ts'
import { findAnswer, type KeptAnswer, keepAnswer } from './refreshAnswers.ts'
import { type RefreshPayload, refreshEffect } from './refreshEffect.ts'
import { isSplit, orUnavailable } from './stores.ts'

/** The result of a token request. `audit` has the rows that are not written yet. */
export type Outcome =
  | { kind: 'issued' }
  /** The response of an earlier request with the same refresh token is sent again. */
  | { kind: 'repeated'; answer: Record<string, unknown> }
  /** `error` is undefined if the engine has refused the request. */
  | { kind: 'refused'; error?: unknown; audit?: AuditEntry[] }

/**
 * Commits new tokens and the consumption of old ones together or not at all, and decides about a refresh token that was used before.
 * `granted` are the members of an unused refresh token that decide about the effect of its refresh.
 */
export async function findOutcome(request: ClientRequest, granted: RefreshPayload | undefined): Promise<Outcome> {
  const { ctx, exchange } = request
  const { redeemed, ended } = exchange
  try {
    if (redeemed?.used) return await repeat(request, redeemed, granted)
    if (ctx.status === 200) return await commit(request, granted)
  } catch (error) {
    return { kind: 'refused', error }
  }
  // The engine revokes the grant of a code that was used before.
  return { kind: 'refused', audit: ended.size > 0 ? [entry(ctx, 'code.replayed', exchange)] : [] }
}

/** Sends the outcome. Returns the audit rows to write. */
export function respond(request: ClientRequest, outcome: Outcome): AuditEntry[] {
  const { ctx, exchange } = request
  if (outcome.kind === 'issued') return []
  if (outcome.kind === 'refused') {
    if (outcome.error !== undefined) respondWithError(request, outcome.error)
    return outcome.audit ?? []
  }
  ctx.status = 200
  ctx.body = outcome.answer
  return [entry(ctx, 'refresh_token.answered_again', exchange)]
}

/** Longer than any code lives. */
const usedCodeSeconds = 3600

const isDurable = (artifact: Artifact): boolean => artifact.model === 'RefreshToken'

/** Commits the writes of the engine together with its response. If another request with the same code or token was faster, nothing is written. */
async function commit(request: ClientRequest, granted: RefreshPayload | undefined): Promise<Outcome> {
  const { ctx, args, exchange, admission } = request
  const { redeemed, saved } = exchange
  if (!redeemed) throw new Error('the engine issued tokens without consuming anything')
  const { stores } = args
  const { key, grantId } = redeemed
  const kept = key.model === 'RefreshToken' ? rotation(request, redeemed, granted) : undefined
  const audit = kept ? [] : [entry(ctx, 'token.issued', exchange)]
  const written = { schoolId: key.schoolId, audit, ...(grantId === undefined ? {} : { touchGrant: { grantId } }) }
  const finished = async (isRedeemed: boolean): Promise<Outcome> => {
    if (!isRedeemed) return await repeat(request, redeemed, granted)
    for (const { event } of audit) args.count(event)
    return { kind: 'issued' }
  }

  if (!isSplit(stores)) {
    await admission.count()
    return await finished(await orUnavailable(stores, stores.durable.redeem({ ...written, consume: kept?.consume ?? key, save: saved })))
  }
  const durable = saved.filter(isDurable)
  const ephemeral = saved.filter((artifact) => !isDurable(artifact))
  if (kept?.artifact) ephemeral.push(kept.artifact)
  // If the request is above its limit, if the code was used before or if the statement below fails, these tokens are harmless: no client
  // has received them.
  const [counted, won, stored] = stores.ephemeral.together(() => [
    admission.count(),
    kept ? Promise.resolve(true) : stores.ephemeral.consume(key),
    Promise.all(ephemeral.map((artifact) => stores.ephemeral.save(artifact))),
  ])
  await Promise.allSettled([counted, won, stored])
  await counted
  if (!(await orUnavailable(stores, won))) return await finished(false)
  await orUnavailable(stores, stored)
  const use = kept ? { consume: kept.consume } : { use: { ...key, forgottenAfterSeconds: usedCodeSeconds } }
  return await finished(await orUnavailable(stores, stores.durable.redeem({ ...written, ...use, save: durable })))
}

function rotation({ ctx, args, form }: ClientRequest, redeemed: Redeemed, granted: RefreshPayload | undefined): KeptAnswer {
  if (!granted) throw new Error('the engine rotated a refresh token that the endpoint has not read')
  const kept = { granted, effect: refreshEffect(form, granted), answer: ctx.body as Record<string, unknown> }
  return keepAnswer(args.stores, redeemed, { kept, windowSeconds: args.refreshWindowSeconds() })
}

/**
 * Handles a code or refresh token that was used before. Within the refresh window, a request of its client with the same effect gets the same
 * response, and a request with another effect is refused, as is one whose response Redis has lost. Everything else is reuse: all tokens of the
 * grant are revoked (RFC 9700 sections 4.5 and 4.14).
 */
async function repeat(
  { args, exchange, clientId, form }: ClientRequest,
  { key, value, grantId, used }: Redeemed,
  granted: RefreshPayload | undefined,
): Promise<Outcome> {
  const { stores } = args
  const { schoolId } = key
  const isRefresh = key.model === 'RefreshToken'
  const found = isRefresh ? (used ?? (await orUnavailable(stores, stores.durable.find(key)))) : undefined
  if (found && found.clientId === clientId) {
    const kept = await findAnswer(stores, { schoolId, found, value }, args.refreshWindowSeconds())
    // The client cannot know that Redis has lost the response: the person keeps the access, the client asks for a new token.
    if (kept === 'lost') return refused('refresh token presented again, its response is lost')
    const isSame = kept && JSON.stringify(kept.effect) === JSON.stringify(refreshEffect(form, granted ?? kept.granted))
    if (kept) return isSame ? { kind: 'repeated', answer: kept.answer } : refused('refresh token presented again with another effect')
  }
  const reused = found?.grantId ?? grantId
  if (reused !== undefined) await endGrantOnce(exchange, stores, schoolId, reused)
  const reuse = isRefresh
    ? { event: 'refresh_token.reused' as const, detail: 'refresh token presented again' }
    : { event: 'code.replayed' as const, detail: 'authorization code presented again' }
  return refused(reuse.detail, [{ school_id: schoolId, event: reuse.event, client_id: clientId, grant_id: reused }])
}

const refused = (detail: string, audit: AuditEntry[] = []): Outcome => ({ kind: 'refused', error: new errors.InvalidGrant(detail), audit })
