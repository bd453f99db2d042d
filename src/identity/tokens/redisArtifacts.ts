import { setTimeout } from 'node:timers/promises'
import { Cluster } from 'ioredis'
import { newId } from '../../base/ids.ts'
import { accountFact, clientFact, clientTag, type FactVersion, type FactVersions, schoolFact } from '../../database/facts/fact.ts'
import { epochSeconds } from '../../database/facts/factGuard.ts'
import { markerKey as factKey, isBusy } from '../../database/facts/redisMarkers.ts'
import { answered, type RedisClient, schoolPrefix } from '../../database/redis/redis.ts'
import { together } from '../../database/redis/together.ts'
import { defineScripts } from './artifactScripts.ts'
import type { Artifact, ArtifactKey, Artifacts, FoundArtifact, OwnedArtifact } from './artifacts.ts'

export interface RedisArtifactsOptions {
  /** No artefact that names a grant or client may live longer: end markers are kept as long. */
  longestTokenSeconds: number
  /** Prefix of every key, for a shared Redis. No braces: a cluster would read them as a slot. */
  prefix?: string
}

/** A token saved by a request that was under way when its grant ended expires this much after the marker was written, at most. */
const requestSeconds = 600

/** Artefacts in Redis, and the versions of the facts that decide about a token. */
export interface RedisArtifacts extends Artifacts {
  /**
   * Finds an artefact and, in the same round trip, the versions of its grant, client and account, and of the client that asks about it: without
   * `callerId` the one that decides about the artefact. The versions must be read before the database: a fact that is read afterwards belongs
   * to them or is newer.
   */
  findWithVersions(key: ArtifactKey, callerId?: string): Promise<{ found: FoundArtifact | undefined; versions: FactVersions }>
  /** Returns the versions of a client and an account. */
  versionsOf(schoolId: string, ids: { callerId?: string | undefined; accountId?: string | undefined }): Promise<FactVersions>
}

/**
 * Artefacts in Redis: one hash with an expiry each, under `sg:{<school>}:<model>:<id>`. All keys of a school are in one slot of a cluster.
 *
 * A grant or client ends by a marker that every look-up reads. A lost marker revives no token: the code that accepts a token also checks
 * its grant and client in the database.
 * Any failure is a rejected promise within about two seconds.
 */
export function redisArtifacts(redis: RedisClient, { longestTokenSeconds, prefix = '' }: RedisArtifactsOptions): RedisArtifacts {
  const scripts = defineScripts(redis)
  const markerSeconds = longestTokenSeconds + requestSeconds

  const artifactKey = ({ schoolId, model, id }: ArtifactKey) => `${schoolPrefix(schoolId, prefix)}${model}:${id}`
  const uidKey = (schoolId: string, model: string, uid: string) => `${schoolPrefix(schoolId, prefix)}uid:${model}:${uid}`
  const accountKey = (schoolId: string, model: string, accountId: string) =>
    `${schoolPrefix(schoolId, prefix)}account:${model}:${accountId}`
  const markerKey = (schoolId: string, kind: 'grant' | 'client', tag: string) => `${schoolPrefix(schoolId, prefix)}${kind}-ended:${tag}`

  async function findWithVersions(
    key: ArtifactKey,
    callerId?: string,
  ): Promise<{ found: FoundArtifact | undefined; versions: FactVersions }> {
    const { schoolId } = key
    const caller = callerId === undefined ? '' : clientTag(schoolId, callerId)
    const epochKey = factKey(schoolFact(schoolId), prefix)
    const [fields, markers] = await answered(scripts.sgFind(artifactKey(key), epochKey, schoolPrefix(schoolId, prefix), caller))
    const [epoch = null, callerMarker, grantMarker, clientMarker, accountMarker, grantEnd = null, clientEnd = null] = markers
    const versionOf = versionsIn(schoolId, epoch)
    const [payload, grantId = null, clientId = null, accountId = null, savedAt, consumedAt, decidingClient, decidingAccount] = fields
    // The marker of a row that nothing names would be one that never changes.
    const versions = {
      grant: versionOf(grantMarker),
      client: versionOf(clientMarker),
      account: accountId || decidingAccount ? versionOf(accountMarker) : undefined,
      caller: caller || decidingClient ? versionOf(callerMarker) : undefined,
    }
    if (payload === null || payload === undefined) return { found: undefined, versions }
    if (isHidden(grantEnd, savedAt) || isHidden(clientEnd, savedAt)) return { found: undefined, versions }
    const found = { payload, grantId, clientId, accountId, consumedAt: consumedAt ? new Date(Number(consumedAt)) : null, ...noSuccessor }
    return { found, versions }
  }

  function versionsIn(schoolId: string, epoch: string | null): (marker: string | null | undefined) => FactVersion {
    // Redis is new, or has lost its data: whatever processes keep belongs to another epoch. Nothing waits for the new one.
    if (epoch === null) void redis.set(factKey(schoolFact(schoolId), prefix), newId(), 'EX', epochSeconds, 'NX').catch(() => undefined)
    return (marker) => (epoch === null || isBusy(epoch) || isBusy(marker) ? undefined : `${epoch} ${marker ?? ''}`)
  }

  const find = async (key: ArtifactKey): Promise<FoundArtifact | undefined> => (await findWithVersions(key)).found

  /** Indexes first, the artefact after: an index entry without artefact reads as absent, an artefact without entry could not be found. */
  async function write(artifact: Artifact, script: 'sgSave' | 'sgSaveOnce'): Promise<boolean> {
    const { schoolId, model, id, uid, grantId, expiresInSeconds } = artifact
    // Tokens end with their grant, so only sessions are listed by account.
    const accountId = grantId ? undefined : artifact.accountId
    requireMarkers(artifact, longestTokenSeconds)
    const milliseconds = Math.max(0, Math.round(expiresInSeconds * 1000))
    const now = Date.now()
    const writeIndexes = () =>
      milliseconds > 0
        ? Promise.all([
            uid && redis.set(uidKey(schoolId, model, uid), id, 'PX', milliseconds),
            accountId && scripts.sgIndex(accountKey(schoolId, model, accountId), now, now + milliseconds, milliseconds, id),
          ])
        : undefined
    const writeArtifact = () => scripts[script](artifactKey(artifact), milliseconds, ...hashOf(artifact, now))
    if (redis instanceof Cluster) {
      await writeIndexes()
      return (await writeArtifact()) === 1
    }
    // One server runs the commands of a connection in their order.
    const [, written] = await together(redis, () => Promise.all([writeIndexes(), writeArtifact()]))
    return written === 1
  }

  return {
    together: (work) => together(redis, work),
    find,
    findWithVersions,
    async versionsOf(schoolId, { callerId, accountId }) {
      const facts = [schoolFact(schoolId), clientFact(schoolId, callerId ?? ''), accountFact(schoolId, accountId ?? '')]
      const [epoch = null, client, account] = await answered(redis.mget(facts.map((fact) => factKey(fact, prefix))))
      const versionOf = versionsIn(schoolId, epoch)
      return { grant: undefined, client: undefined, caller: callerId && versionOf(client), account: accountId && versionOf(account) }
    },
    async findByUid(schoolId, model, uid) {
      const id = await answered(redis.get(uidKey(schoolId, model, uid)))
      if (id === null) return undefined
      const key = { schoolId, model, id }
      const [stored, found] = await together(redis, () => Promise.all([answered(redis.hget(artifactKey(key), 'u')), find(key)]))
      return stored === uid ? found : undefined
    },
    async save(artifact) {
      await answered(write(artifact, 'sgSave'))
    },
    saveOnce: (artifact) => answered(write(artifact, 'sgSaveOnce')),
    async consume(key) {
      const [won, found] = await together(redis, () => Promise.all([answered(scripts.sgConsume(artifactKey(key), Date.now())), find(key)]))
      return won === 1 && found !== undefined
    },
    async destroy(key) {
      await answered(redis.del(artifactKey(key)))
    },
    async endGrant({ schoolId, grantTag }) {
      await answered(scripts.sgMark(markerKey(schoolId, 'grant', grantTag), 'ended', markerSeconds))
    },
    async endClient({ schoolId, clientTag }) {
      await answered(scripts.sgMark(markerKey(schoolId, 'client', clientTag), 'ended', markerSeconds))
    },
    async restoreClient({ schoolId, clientTag }) {
      // Not deleted but dated: what was saved before stays hidden, as the database forgets it too.
      const restoredAt = Date.now()
      await answered(redis.set(markerKey(schoolId, 'client', clientTag), String(restoredAt), 'EX', markerSeconds, 'XX'))
      // Whatever is saved after this call bears a later millisecond.
      while (Date.now() <= restoredAt) await setTimeout(1)
    },
    async findOfAccount(schoolId, model, accountId) {
      const ids = await answered(redis.zrevrange(accountKey(schoolId, model, accountId), '0', '99'))
      const found = await answered(
        Promise.all(
          ids.map(async (id): Promise<OwnedArtifact[]> => {
            const key = artifactKey({ schoolId, model, id })
            const [payload, milliseconds] = await Promise.all([redis.hget(key, 'p'), redis.pttl(key)])
            return payload === null || milliseconds <= 0 ? [] : [{ id, payload, expiresAt: new Date(Date.now() + milliseconds) }]
          }),
        ),
      )
      return found.flat()
    },
    async destroyOfAccount(schoolId, model, accountId) {
      const index = accountKey(schoolId, model, accountId)
      const ids = await answered(redis.zrange(index, '0', '-1'))
      await answered(Promise.all(ids.map((id) => redis.del(artifactKey({ schoolId, model, id })))))
      // Only after the artefacts are gone, so that a failure can be repeated.
      if (ids.length > 0) await answered(redis.zrem(index, ...ids))
    },
  }
}

const noSuccessor = { successor: null, answeredSecondsAgo: null }

/** `ended` hides everything, a time (of `restoreClient`) what was saved until then. */
function isHidden(marker: string | null, savedAt: string | null | undefined): boolean {
  return marker !== null && (marker === 'ended' || Number(savedAt) <= Number(marker))
}

/** An artefact without its tags, or one that outlives the markers, could not be revoked: better a failed sign-in than that. */
function requireMarkers({ model, grantId, grantTag, clientId, clientTag, expiresInSeconds }: Artifact, longestTokenSeconds: number): void {
  if ((grantId && !grantTag) || (clientId && !clientTag)) throw new Error(`${model} names a grant or client without its tag`)
  if ((grantTag || clientTag) && expiresInSeconds > longestTokenSeconds) {
    throw new Error(`${model} lives ${expiresInSeconds} s, but end markers only ${longestTokenSeconds} s`)
  }
}

function hashOf(artifact: Artifact, savedAt: number): string[] {
  const { schoolId, payload, grantId, clientId, accountId, uid, grantTag, clientTag: ownTag, decidedBy } = artifact
  const deciding = { dl: decidedBy && clientTag(schoolId, decidedBy.clientId), da: decidedBy?.accountId }
  const all = { p: payload, g: grantId, l: clientId, a: accountId, u: uid, gt: grantTag, lt: ownTag, t: String(savedAt), ...deciding }
  return Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [name, value]))
}
