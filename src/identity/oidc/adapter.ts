import { type Adapter, type AdapterPayload, errors, type InteractionResults, Provider } from 'oidc-provider'
import type { Keyring } from '../../base/keyring.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { findClient } from '../../database/tables/clients.ts'
import { findGrant, saveGrant } from '../../database/tables/grants.ts'
import type { Artifact, ArtifactKey, Artifacts, FoundArtifact } from '../tokens/artifacts.ts'
import { accountIdOf, subjectOf } from './claims.ts'
import { hashSecret, withAcceptedSecrets } from './clientSecrets.ts'
import { endOf } from './endedInteractions.ts'
import { type Exchanges, endGrantOnce } from './engineTransaction.ts'
import { formerIssuer, issuerMember } from './formerIssuer.ts'
import type { KeptFacts } from './keptFacts.ts'
import { decidingIds, loadInteractionFacts } from './mintingFacts.ts'
import { artifactName, forgetModel, once, remember, rememberKept } from './requestFacts.ts'
import { secondsAhead, shifted } from './sharedTime.ts'
import { orUnavailable, type Stores } from './stores.ts'
import { artifactKey, tokenModels } from './tokenTags.ts'

export interface AdapterArguments {
  schoolId: string
  issuer: string
  stores: Stores
  kept: KeptFacts
  keyring: Keyring
  exchanges: Exchanges
  ownAudiences: ReadonlySet<string>
  /** Seconds that an authorization request waits for a sign-in. */
  signInSeconds: number
}

const uidName = (model: string, uid: string): string => artifactName(model, `uid ${uid}`)
/** Models that the pages of one request ask for several times. */
const pageModels: ReadonlySet<string> = new Set(['Session', 'Interaction'])
/** Models that the token endpoint uses up: see tokenOutcome.ts. */
const usedOnce: ReadonlySet<string> = new Set(['AuthorizationCode', 'RefreshToken'])
/** Payloads that contain a cookie's value are encrypted. */
const sealed: ReadonlySet<string> = new Set(['Session', 'Interaction'])

/** The engine's storage for one school: `name` is the engine's model. Ids are hashed before a store sees them. */
export function createAdapter(args: AdapterArguments): (name: string) => Adapter {
  return (name) => {
    if (name === 'Client') return clientAdapter(args)
    if (name === 'Grant') return grantAdapter(args)
    return artifactAdapter(name, args)
  }
}

function unused(): never {
  throw new Error('the engine is not configured to call this')
}

const nothing = { findByUserCode: unused, findByUid: unused, consume: unused, revokeByGrantId: unused }

function clientAdapter({ schoolId, stores, kept, exchanges }: AdapterArguments): Adapter {
  return {
    ...nothing,
    async find(id) {
      // PostgreSQL cannot store this text, so no client has it as its id.
      if (storableText(id) !== id) return undefined
      const find = () => findClient(stores.database, schoolId, id)
      const { facts, readsKept } = exchanges.getStore() ?? {}
      if (facts && readsKept && !facts.clients.has(id)) {
        const subject = Provider.ctx?.oidc.session?.accountId
        const accountId = subject === undefined ? undefined : accountIdOf(subject)
        rememberKept(facts, { clientId: id, accountId }, (ids) => kept.read(schoolId, ids))
      }
      const client = await orUnavailable(stores, once(facts?.clients, id, find))
      return client && (withAcceptedSecrets(client.metadata) as AdapterPayload)
    },
    async upsert(id, payload) {
      const { client_secret: secret, ...rest } = payload
      const metadata = secret === undefined ? rest : { ...rest, client_secret: hashSecret(secret) }
      const exchange = exchanges.getStore()
      if (!exchange) throw new Error('clients are registered at the registration endpoint only')
      // Written by the endpoint, together with its audit row.
      exchange.registered = { id, metadata }
    },
    destroy: unused,
  }
}

function grantAdapter({ schoolId, issuer, stores, keyring, exchanges }: AdapterArguments): Adapter {
  return {
    ...nothing,
    async find(id) {
      const find = () => findGrant(stores.database, schoolId, id)
      const grant = await orUnavailable(stores, once(exchanges.getStore()?.facts.grants, id, find))
      const former = grant && formerIssuer(grant, issuer)
      // Elsewhere the person is asked again. The client of a token must learn that it cannot be repaired.
      if (former !== undefined && Provider.ctx?.oidc.route === 'token') throw new errors.InvalidGrant(`given at a former issuer: ${former}`)
      if (!grant || former !== undefined) return undefined
      return { ...grant, exp: Number(grant.exp) - secondsAhead(keyring) } as AdapterPayload
    },
    async upsert(id, payload, expiresInSeconds = 0) {
      const accountId = accountIdOf(payload.accountId as string)
      if (!accountId) throw new Error('a grant belongs to an account')
      const clientId = payload.clientId as string
      const exchange = exchanges.getStore()
      exchange?.facts.grants.delete(id)
      const audit = exchange?.auditOfGrant
      if (audit && audit.grant_id !== id) throw new Error('the audit row names another grant')
      const grant = { schoolId, id, accountId, clientId, payload: { ...payload, [issuerMember]: issuer }, expiresInSeconds }
      const isFirst = await orUnavailable(stores, saveGrant(stores.database, grant, audit))
      if (exchange) exchange.isFirstGrant = isFirst
    },
    destroy: (id) => endGrantOnce(exchanges.getStore(), stores, schoolId, id),
  }
}

function artifactAdapter(model: string, args: AdapterArguments): Adapter {
  const { schoolId, stores, kept, keyring, exchanges } = args
  const store: Artifacts = model === 'RefreshToken' ? stores.durable : stores.ephemeral
  const isToken = tokenModels.has(model)
  const keyOf = (value: string): ArtifactKey => artifactKey(schoolId, model, value)
  // A value that no secret opens counts as absent: the person signs in again.
  const parse = (text: string): AdapterPayload | undefined => {
    const opened = sealed.has(model) ? keyring.tryOpen('artifacts', text) : text
    return opened === undefined ? undefined : shifted(JSON.parse(opened), -secondsAhead(keyring))
  }
  const read = (value: string | undefined, found: FoundArtifact): AdapterPayload | undefined => {
    const payload = found.payload === '' ? usedPayload(model, found) : parse(found.payload)
    if (!payload) return undefined
    if (value !== undefined) payload.jti = value
    if (found.consumedAt) payload.consumed = Math.floor(found.consumedAt.getTime() / 1000)
    return payload
  }

  return {
    async find(value) {
      const exchange = exchanges.getStore()
      const memo = exchange?.facts.artifacts
      const known = memo?.get(artifactName(model, value))
      const isOfPages = pageModels.has(model) && known === undefined
      const find = async () => {
        if (model !== 'Interaction' || !exchange) return await store.find(keyOf(value))
        const { found, read } = await kept.find(keyOf(value))
        exchange.facts.readInteraction = read
        return found
      }
      const found = await orUnavailable(stores, isOfPages ? once(memo, artifactName(model, value), find) : (known ?? find()))
      if (!found) return undefined
      if (model === 'Interaction' && found.consumedAt) return undefined
      if (found.grantId !== null) exchange?.grantIds.set(value, found.grantId)
      if (usedOnce.has(model) && found.consumedAt && exchange && Provider.ctx?.oidc.route === 'token') {
        exchange.redeemed = { key: keyOf(value), value, grantId: found.grantId ?? undefined, used: found }
        return undefined
      }
      const payload = read(value, found)
      if (!payload) return undefined
      const deciding = model === 'Interaction' ? decidingIds(payload) : undefined
      if (deciding && exchange) loadInteractionFacts(exchange.facts, { stores, schoolId }, deciding)
      if (model === 'Session' && memo && payload.uid !== undefined) remember(memo, uidName(model, payload.uid), Promise.resolve(found))
      if (model === 'AccessToken' && isForUserinfo(payload, args)) delete payload.aud
      return payload
    },
    async findByUid(uid) {
      const memo = exchanges.getStore()?.facts.artifacts
      const find = () => store.findByUid(schoolId, model, uid)
      const found = await orUnavailable(stores, once(memo, uidName(model, uid), find))
      if (!found) return undefined
      const payload = read(undefined, found)
      return payload && { ...payload, ...(typeof payload.cookie === 'string' && { jti: payload.cookie }) }
    },
    async upsert(value, { jti: _jti, ...payload }, lifeSeconds = 0) {
      // A request of the sign-out page makes the engine save a session without an account. Nothing reads it.
      if (model === 'Session' && payload.accountId === undefined) return
      forgetModel(exchanges.getStore()?.facts, model)
      const expiresInSeconds = isUnattended(model, payload) ? Math.min(lifeSeconds, args.signInSeconds) : lifeSeconds
      const stored = shifted(payload, secondsAhead(keyring))
      const text = JSON.stringify(model === 'Session' ? { ...stored, cookie: value } : stored)
      const accountId = payload.accountId === undefined ? undefined : accountIdOf(payload.accountId)
      const artifact: Artifact = {
        ...keyOf(value),
        payload: sealed.has(model) ? keyring.seal('artifacts', text) : text,
        expiresInSeconds,
        ...(isToken && payload.grantId !== undefined ? { grantId: payload.grantId } : {}),
        ...(isToken && payload.clientId !== undefined ? { clientId: payload.clientId } : {}),
        ...(accountId === undefined ? {} : { accountId }),
        ...(model === 'Session' && payload.uid !== undefined ? { uid: payload.uid } : {}),
        ...(model === 'Interaction' ? { decidedBy: decidingIds(payload) } : {}),
      }
      const exchange = exchanges.getStore()
      if (model === 'AuthorizationCode' && exchange?.facts.isKept) throw new Error('a code is issued by rows of the database only')
      if (exchange && (model === 'AccessToken' || model === 'RefreshToken')) {
        exchange.saved.push(artifact)
        return
      }
      if (model === 'ReplayDetection') {
        if (!(await orUnavailable(stores, store.saveOnce(artifact)))) throw new errors.InvalidRequest('this assertion was presented before')
        return
      }
      // The engine saves the session last: where it leads the browser is stored in the same round trip.
      const end = model === 'Session' && Provider.ctx ? endOf(Provider.ctx) : undefined
      if (exchange && end) exchange.isEndStored = true
      await orUnavailable(stores, Promise.all(store.together(() => [artifact, ...(end ? [end] : [])].map((one) => store.save(one)))))
    },
    async consume(value) {
      const exchange = exchanges.getStore()
      if (!exchange) throw new Error('codes and refresh tokens are consumed at the token endpoint only')
      exchange.redeemed = { key: keyOf(value), value, grantId: exchange.grantIds.get(value) }
    },
    async destroy(value) {
      forgetModel(exchanges.getStore()?.facts, model)
      // A result is used once: of several concurrent requests, one continues to a code. The row stays, marked as consumed, until it
      // expires: a result that is saved at this moment would recreate it otherwise.
      if (model === 'Interaction') {
        if (await orUnavailable(stores, store.consume(keyOf(value)))) return
        throw new errors.SessionNotFound('interaction was answered already')
      }
      // Revoking the grant, before or after this, ends its tokens. Destroying them one by one could stop half-way.
      if (!isToken) await orUnavailable(stores, store.destroy(keyOf(value)))
    },
    revokeByGrantId: (grantId) => endGrantOnce(exchanges.getStore(), stores, schoolId, grantId),
    findByUserCode: unused,
  }
}

/** Returns true for an authorization request without a completed sign-in step and without a requested e-mail. */
function isUnattended(model: string, payload: AdapterPayload): boolean {
  if (model !== 'Interaction') return false
  const { session, result } = payload as {
    session?: { accountId?: string }
    result?: InteractionResults & { steps?: { login?: { account?: unknown } } }
  }
  const isSignedIn = session?.accountId !== undefined || result?.login !== undefined || result?.steps?.login?.account !== undefined
  return !isSignedIn && result?.awaits_email !== true
}

/** Returns what the engine needs of a used refresh token to revoke its grant. */
const usedPayload = (kind: string, { grantId, clientId, accountId }: FoundArtifact): AdapterPayload => ({
  kind,
  ...(grantId !== null && { grantId }),
  ...(clientId !== null && { clientId }),
  ...(accountId !== null && { accountId: subjectOf(accountId) }),
})

// The engine rejects tokens with an audience at UserInfo. The audience of these tokens is this server.
function isForUserinfo(payload: AdapterPayload, { ownAudiences }: AdapterArguments): boolean {
  return Provider.ctx?.oidc.route === 'userinfo' && typeof payload.aud === 'string' && ownAudiences.has(payload.aud)
}
