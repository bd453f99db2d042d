import { errors } from 'oidc-provider'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { Artifact } from '../tokens/artifacts.ts'
import { type ClientRequest, entry, respondWithError } from './endpointHandler.ts'
import { endGrantOnce, type Redeemed } from './engineTransaction.ts'
import { isSplit, orUnavailable } from './stores.ts'
import { findAnswer, type KeptAnswer, keepAnswer } from './tokenAnswers.ts'
import { type Granted, tokenEffect } from './tokenEffect.ts'

/** The result of a token request. `audit` has the rows that are not written yet. */
export type Outcome =
  | { kind: 'issued' }
  /** The response of an earlier request with the same code or refresh token is sent again. */
  | { kind: 'repeated'; answer: Record<string, unknown> }
  /** `error` is undefined if the engine has refused the request. */
  | { kind: 'refused'; error?: unknown; audit?: AuditEntry[] }

/**
 * Commits new tokens and the consumption of old ones together or not at all, and decides about a code or refresh token that was used before.
 * `granted` are the members of an unused one that decide about the effect of the request.
 */
export async function findOutcome(request: ClientRequest, granted: Granted | undefined): Promise<Outcome> {
  const { ctx, exchange } = request
  const { redeemed } = exchange
  try {
    if (redeemed?.used) return await repeat(request, redeemed, granted)
    if (ctx.status === 200) return await commit(request, granted)
  } catch (error) {
    return { kind: 'refused', error }
  }
  return { kind: 'refused' }
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
  return [entry(ctx, exchange.redeemed?.key.model === 'RefreshToken' ? 'refresh_token.answered_again' : 'code.answered_again', exchange)]
}

/** How long the use of a code is known, so that a replay is noticed. Longer than any code lives. */
const usedCodeSeconds = 3600

const isDurable = (artifact: Artifact): boolean => artifact.model === 'RefreshToken'

/** Commits the writes of the engine together with its response. If another request with the same code or token was faster, nothing is written. */
async function commit(request: ClientRequest, granted: Granted | undefined): Promise<Outcome> {
  const { ctx, args, exchange, admission, clientId } = request
  const { redeemed, saved } = exchange
  if (!redeemed) throw new Error('the engine issued tokens without consuming anything')
  const { stores } = args
  const { key, grantId } = redeemed
  const isRefresh = key.model === 'RefreshToken'
  const kept = keep(request, redeemed, granted)
  const audit = isRefresh ? [] : [entry(ctx, 'token.issued', exchange)]
  const written = { schoolId: key.schoolId, audit, ...(grantId === undefined ? {} : { touchGrant: { grantId } }) }
  const finished = async (isRedeemed: boolean): Promise<Outcome> => {
    if (!isRedeemed) return await repeat(request, redeemed, granted)
    for (const { event } of audit) args.count(event)
    return { kind: 'issued' }
  }

  const consume = { ...kept.consume, ...(!isRefresh && { knownSeconds: usedCodeSeconds }) }
  if (!isSplit(stores)) {
    await admission.count()
    return await finished(await orUnavailable(stores, stores.durable.redeem({ ...written, consume, save: saved })))
  }
  const durable = saved.filter(isDurable)
  const ephemeral = saved.filter((artifact) => !isDurable(artifact))
  if (kept.artifact) ephemeral.push(kept.artifact)
  // If the request is above its limit, if another one was faster or if the statement below fails, these tokens are harmless: no client has
  // received them.
  const [counted, stored] = stores.ephemeral.together(() => [
    admission.count(),
    Promise.all(ephemeral.map((artifact) => stores.ephemeral.save(artifact))),
  ])
  await Promise.allSettled([counted, stored])
  await counted
  await orUnavailable(stores, stored)
  const owner = isRefresh || grantId === undefined || clientId === undefined ? {} : { owner: { grantId, clientId } }
  return await finished(
    await orUnavailable(stores, stores.durable.redeem({ ...written, consume: { ...consume, ...owner }, save: durable })),
  )
}

/** Returns the values that only the client of the request has: the refresh token, or the code with its verifier. */
const secretOf = ({ form }: ClientRequest, { key, value }: Redeemed): string =>
  key.model === 'RefreshToken' ? value : JSON.stringify([value, form.get('code_verifier'), form.get('redirect_uri')])

function keep(request: ClientRequest, redeemed: Redeemed, granted: Granted | undefined): KeptAnswer {
  const { ctx, args, form } = request
  if (!granted) throw new Error('the engine used a code or refresh token that the endpoint has not read')
  const kept = { granted, effect: tokenEffect(form, granted), answer: ctx.body as Record<string, unknown> }
  const used = { key: redeemed.key, secret: secretOf(request, redeemed) }
  return keepAnswer(args.stores, used, { kept, windowSeconds: args.refreshWindowSeconds() })
}

/**
 * Handles a code or refresh token that was used before. Within the refresh window, a request of its client with the same secret and the same
 * effect gets the same response, and a request with another effect is refused, as is one whose response Redis has lost. Everything else is
 * reuse: all tokens of the grant are revoked (RFC 9700 sections 4.5 and 4.14).
 */
async function repeat(request: ClientRequest, redeemed: Redeemed, granted: Granted | undefined): Promise<Outcome> {
  const { args, exchange, clientId, form } = request
  const { key, grantId, used } = redeemed
  const { stores } = args
  const { schoolId } = key
  const [name, event] =
    key.model === 'RefreshToken' ? (['refresh token', 'refresh_token.reused'] as const) : (['authorization code', 'code.replayed'] as const)
  const found = used ?? (await orUnavailable(stores, stores.durable.find(key)))
  if (found && found.clientId === clientId) {
    const kept = await findAnswer(stores, { schoolId, found, secret: secretOf(request, redeemed) }, args.refreshWindowSeconds())
    // The client cannot know that Redis has lost the response: the person keeps the access, the client asks for a new token.
    if (kept === 'lost') return refused(`${name} presented again, its response is lost`)
    const isSame = kept && JSON.stringify(kept.effect) === JSON.stringify(tokenEffect(form, granted ?? kept.granted))
    if (kept) return isSame ? { kind: 'repeated', answer: kept.answer } : refused(`${name} presented again with another effect`)
  }
  const reused = found?.grantId ?? grantId
  if (reused !== undefined) await endGrantOnce(exchange, stores, schoolId, reused)
  return refused(`${name} presented again`, [{ school_id: schoolId, event, client_id: clientId, grant_id: reused }])
}

const refused = (detail: string, audit: AuditEntry[] = []): Outcome => ({ kind: 'refused', error: new errors.InvalidGrant(detail), audit })
