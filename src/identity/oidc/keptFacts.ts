import type { Reader } from '../../database/connection/database.ts'
import { accountFact, clientFact, type FactVersions, grantFact } from '../../database/facts/fact.ts'
import type { FactCache } from '../../database/facts/factCache.ts'
import type { FactGuard } from '../../database/facts/factGuard.ts'
import { storableText } from '../../database/statements/storableText.ts'
import { type FactIds, readFacts, type TokenFacts } from '../facts/loadFacts.ts'
import type { ArtifactKey, Artifacts, FoundArtifact } from '../tokens/artifacts.ts'
import type { RedisArtifacts } from '../tokens/redisArtifacts.ts'

/** An artefact, and what is known about the rows that decide about it. */
export interface FoundWithVersions {
  found: FoundArtifact | undefined
  /** Returns these rows: from memory if their versions are current, otherwise from the database. */
  read(ids: FactIds): Promise<TokenFacts>
}

/** The rows that this process keeps, which are used only if their current versions prove them (decision 12). */
export interface KeptFacts {
  /** Finds an artefact, and in the same round trip the versions of the rows that it names, and of the client that asks about it. */
  find(key: ArtifactKey, callerId?: string): Promise<FoundWithVersions>
  /** Returns a client and an account without an artefact: their versions take a round trip. */
  read(schoolId: string, ids: Pick<FactIds, 'accountId' | 'callerId'>): Promise<TokenFacts>
}

export interface KeptFactsArguments {
  ephemeral: Pick<Artifacts, 'find'>
  database: Reader
  guard: Pick<FactGuard, 'memory'>
  cache: FactCache
  /** Absent: the versions are in memory, or there are none. Then the database is always read. */
  versioned?: RedisArtifacts | undefined
}

export function createKeptFacts({ ephemeral, database, guard, cache, versioned }: KeptFactsArguments): KeptFacts {
  const inMemory = (schoolId: string, ids: FactIds): FactVersions => versionsInMemory(guard, schoolId, ids)
  return {
    async find(key, callerId) {
      const { schoolId } = key
      const reading = cache.begin()
      const { found, versions } = versioned ? await versioned.findWithVersions(key, callerId) : { found: await ephemeral.find(key) }
      return {
        found,
        read: (ids) => readFacts(database, cache, { schoolId, ids, versions: versions ?? inMemory(schoolId, ids), reading }),
      }
    },
    async read(schoolId, named) {
      const reading = cache.begin()
      const { accountId, callerId } = named
      // PostgreSQL cannot store another text, so no client has it as its id.
      const ids = { accountId, callerId: callerId !== undefined && storableText(callerId) === callerId ? callerId : undefined }
      // Without versions the database is read.
      const versions = versioned ? await versioned.versionsOf(schoolId, ids).catch(() => unknown) : inMemory(schoolId, ids)
      return await readFacts(database, cache, { schoolId, ids, versions, reading })
    },
  }
}

const unknown: FactVersions = { grant: undefined, client: undefined, account: undefined, caller: undefined }

function versionsInMemory({ memory }: Pick<FactGuard, 'memory'>, schoolId: string, ids: FactIds): FactVersions {
  const { grantId, clientId, accountId, callerId } = ids
  return {
    grant: grantId ? memory?.versionOf(grantFact(schoolId, grantId)) : undefined,
    client: clientId ? memory?.versionOf(clientFact(schoolId, clientId)) : undefined,
    account: accountId ? memory?.versionOf(accountFact(schoolId, accountId)) : undefined,
    caller: callerId ? memory?.versionOf(clientFact(schoolId, callerId)) : undefined,
  }
}
