import { AsyncLocalStorage } from 'node:async_hooks'
import { errors } from 'oidc-provider'
import type { Admission } from '../../base/http/admission.ts'
import type { FactChange } from '../../database/facts/factGuard.ts'
import type { AuditEntry } from '../../database/tables/audit.ts'
import type { Artifact, ArtifactKey, FoundArtifact } from '../tokens/artifacts.ts'
import { findAnswer, type KeptAnswer, keepAnswer } from './refreshAnswers.ts'
import { type RefreshPayload, refreshEffect } from './refreshEffect.ts'
import { newRequestFacts, type RequestFacts } from './requestFacts.ts'
import { endGrant, type GrantEnding, isSplit, orUnavailable, type Stores } from './stores.ts'

/**
 * One request to an endpoint of the authorization server. The engine writes step by step: it consumes a refresh token, then saves its
 * successors. If the process dies in between, the client is left with a used token and no new one. So everything that the engine consumes
 * and saves is held back here and committed in one statement together with the response, after the engine has built the response and before
 * it is sent.
 */
export interface Exchange {
  form: URLSearchParams
  /** The client that the form names. The engine authenticates it. */
  clientId?: string | undefined
  /** The code or refresh token that the form presents. */
  presented?: Presented | undefined
  facts: RequestFacts
  audit: AuditEntry[]
  /** Written in the statement that stores the grant of this request. */
  auditOfGrant?: AuditEntry
  /** True if this request has stored a grant, which is the only live one of its account to its client. */
  isFirstGrant?: boolean
  saved: Artifact[]
  registered?: { id: string; metadata: object }
  consumed?: { key: ArtifactKey; value: string; grantId: string | undefined }
  /** The members of an unused refresh token that decide about the effect of its refresh. */
  granted?: RefreshPayload
  /** The grants of the codes and refresh tokens that this request presented. */
  grantIds: Map<string, string>
  replayed?: Record<string, unknown>
  /** True if the engine did not find the interaction, or another request has ended it. */
  isInteractionOver?: boolean
  /** True if the end of an interaction was stored together with the session. */
  isEndStored?: boolean
  /** Grants that this request has revoked. */
  ended: Map<string, Promise<void>>
  /** The mark that the grant of the token to revoke is about to change. */
  change?: Promise<FactChange>
  /** Returns what the request has prepared for the revocation of a grant. */
  endingOf?: (grantId: string) => GrantEnding
  /** The reason of the engine's error, for the operator. */
  refusal?: { error: string; detail: string | undefined }
  /** When the access ended that the person gave with the presented refresh token. */
  accessEndedAt?: Date
}

/** A code or token as the form contains it. */
export interface Presented {
  model: 'AccessToken' | 'AuthorizationCode' | 'RefreshToken'
  value: string
}

export type Exchanges = AsyncLocalStorage<Exchange>

export const createExchanges = (): Exchanges => new AsyncLocalStorage<Exchange>()

export const newExchange = (): Exchange => ({
  form: new URLSearchParams(),
  facts: newRequestFacts(),
  audit: [],
  saved: [],
  grantIds: new Map(),
  ended: new Map(),
})

/** Runs work in the exchange of the request, so that each row is read once. */
export const inExchange = <Result>(exchanges: Exchanges, work: () => Result): Result =>
  exchanges.getStore() ? work() : exchanges.run(newExchange(), work)

export interface RepeatArguments {
  found: FoundArtifact | undefined
  value: string
  stores: Stores
  schoolId: string
  refreshWindowSeconds: number
}

/**
 * Handles a refresh token that was used before. Within the refresh window, a request of its client with the same effect gets the same
 * response, and a request with another effect is refused, as is one whose response Redis has lost. Everything else is reuse, which ends the grant.
 * @throws errors.InvalidGrant unless there is an earlier response
 */
export async function repeatRefresh(
  exchange: Exchange,
  { found, value, stores, schoolId, refreshWindowSeconds }: RepeatArguments,
): Promise<void> {
  const isOfClient = exchange.clientId !== undefined && found?.clientId === exchange.clientId
  const kept = isOfClient ? await findAnswer(stores, { schoolId, found, value }, refreshWindowSeconds) : undefined
  // The client cannot know that Redis has lost the response: the person keeps the access, the client asks for a new token.
  if (kept === 'lost') throw new errors.InvalidGrant('refresh token presented again, its response is lost')
  if (!kept) {
    const grantId = found?.grantId ?? exchange.grantIds.get(value)
    await reused(exchange, { stores, schoolId, model: 'RefreshToken', grantId })
    throw new errors.InvalidGrant('refresh token presented again')
  }
  if (JSON.stringify(kept.effect) !== JSON.stringify(refreshEffect(exchange.form, exchange.granted ?? kept.granted)))
    throw new errors.InvalidGrant('refresh token presented again with another effect')
  exchange.replayed = kept.answer
}

export interface CommitArguments {
  stores: Stores
  schoolId: string
  refreshWindowSeconds: number
  /** Counts the request together with the first write. */
  admission: Admission
}

/**
 * Commits the writes of the engine together with its response. If another request with the same refresh token was faster, nothing is written,
 * and `replayed` is its response.
 * @throws errors.InvalidGrant if the code or token was used before; its grant is then revoked (RFC 9700 sections 4.5 and 4.14)
 */
export async function commit(exchange: Exchange, answer: Record<string, unknown>, args: CommitArguments): Promise<void> {
  const { stores, schoolId, admission } = args
  const { consumed } = exchange
  if (!consumed) throw new Error('the engine issued tokens without consuming anything')
  const touchGrant = consumed.grantId === undefined ? {} : { touchGrant: { grantId: consumed.grantId } }
  const kept = consumed.key.model === 'RefreshToken' ? rotation(exchange, answer, args) : undefined

  if (isSplit(stores)) {
    const durable = exchange.saved.filter(isDurable)
    const ephemeral = exchange.saved.filter((artifact) => !isDurable(artifact))
    if (kept?.artifact) ephemeral.push(kept.artifact)
    // If the request is above its limit, if the code was used before or if the statement below fails, these tokens are harmless: no client
    // has received them.
    const [counted, won, saved] = stores.ephemeral.together(() => [
      admission.count(),
      kept ? Promise.resolve(true) : stores.ephemeral.consume(consumed.key),
      Promise.all(ephemeral.map((artifact) => stores.ephemeral.save(artifact))),
    ])
    await Promise.allSettled([counted, won, saved])
    await counted
    if (!(await orUnavailable(stores, won))) return spent(exchange, args)
    await orUnavailable(stores, saved)
    const isRedeemed = await orUnavailable(
      stores,
      stores.durable.redeem({
        schoolId,
        ...(kept ? { consume: kept.consume } : { use: { ...consumed.key, forgottenAfterSeconds: usedCodeSeconds } }),
        save: durable,
        audit: exchange.audit,
        ...touchGrant,
      }),
    )
    if (!isRedeemed) return spent(exchange, args)
  } else {
    await admission.count()
    const consume = kept?.consume ?? consumed.key
    const won = await orUnavailable(
      stores,
      stores.durable.redeem({ schoolId, consume, save: exchange.saved, audit: exchange.audit, ...touchGrant }),
    )
    if (!won) return spent(exchange, args)
  }
  exchange.audit = []
}

/** Longer than any code lives. */
const usedCodeSeconds = 3600

const isDurable = (artifact: Artifact): boolean => artifact.model === 'RefreshToken'

function rotation(exchange: Exchange, answer: Record<string, unknown>, { stores, refreshWindowSeconds }: CommitArguments): KeptAnswer {
  const { form, granted } = exchange
  if (!granted) throw new Error('the engine rotated a refresh token that the endpoint has not read')
  const kept = { granted, effect: refreshEffect(form, granted), answer }
  return keepAnswer(stores, exchange.consumed as NonNullable<Exchange['consumed']>, { kept, windowSeconds: refreshWindowSeconds })
}

/** Handles a code or token that another request has used first. Within the refresh window a refresh token gets its response again; otherwise this is reuse. */
async function spent(exchange: Exchange, { stores, schoolId, refreshWindowSeconds }: CommitArguments): Promise<void> {
  const { key, value, grantId } = exchange.consumed as NonNullable<Exchange['consumed']>
  exchange.audit = []
  if (key.model === 'RefreshToken') {
    const found = await orUnavailable(stores, stores.durable.find(key))
    return await repeatRefresh(exchange, { found, value, stores, schoolId, refreshWindowSeconds })
  }
  await reused(exchange, { stores, schoolId, model: key.model, grantId })
  throw new errors.InvalidGrant('authorization code presented again')
}

/** A code or refresh token was used twice: all tokens of its grant are revoked. */
async function reused(
  exchange: Exchange,
  { stores, schoolId, model, grantId }: { stores: Stores; schoolId: string; model: string; grantId: string | undefined },
): Promise<void> {
  exchange.audit.push({
    school_id: schoolId,
    event: model === 'RefreshToken' ? 'refresh_token.reused' : 'code.replayed',
    client_id: exchange.clientId,
    grant_id: grantId,
  })
  if (grantId !== undefined) await endGrantOnce(exchange, stores, schoolId, grantId)
}

/** The engine revokes a grant model by model; once is enough. */
export function endGrantOnce(exchange: Exchange | undefined, stores: Stores, schoolId: string, grantId: string): Promise<void> {
  const already = exchange?.ended.get(grantId)
  if (already !== undefined) return already
  const ending = endGrant(stores, { schoolId, grantId }, exchange?.endingOf?.(grantId))
  exchange?.ended.set(grantId, ending)
  return ending
}
