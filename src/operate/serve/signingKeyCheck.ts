import type { Keyring } from '../../base/keyring.ts'
import type { Reader } from '../../database/connection/database.ts'
import { fingerprintPublishedKeys, listPublishedKeys, listSealedKeys, type PublishedKey } from '../../database/tables/signingKeys.ts'
import { PartialLoss } from './readiness.ts'

export interface SigningKeyCheckArguments {
  database: Reader
  keyring: Keyring
  /** The slugs of the schools that are served. */
  schools(): readonly string[]
  /** For how long a retired key is published. */
  keepHours(): number
}

const maxNamed = 5
const schoolsAtOnce = 200

/**
 * Returns a check that SECRET_KEY opens every published signing key of each school. A key that was opened is opened again only after it
 * has changed. A school without keys passes: it gets its first ones soon after the start. If only some keys fail, the loss is partial: the
 * other schools are served.
 */
export function createSigningKeyCheck({ database, keyring, schools, keepHours }: SigningKeyCheckArguments): () => Promise<void> {
  let opened = new Set<string>()
  let passed: string | undefined
  return async () => {
    // Readiness asks often: one row instead of every key of every school.
    const before = await fingerprintPublishedKeys(database, schools(), keepHours())
    if (before === passed) return
    const published = await listPublishedKeys(database, schools(), keepHours())
    const fresh = published.filter((key) => !opened.has(keyOf(key)))
    const unusable = new Set<string>()
    const schoolIds = [...new Set(fresh.map(({ school_id: schoolId }) => schoolId))]
    for (let start = 0; start < schoolIds.length; start += schoolsAtOnce) {
      const sealed = await listSealedKeys(database, schoolIds.slice(start, start + schoolsAtOnce))
      for (const key of sealed)
        if (!opened.has(keyOf(key)) && keyring.tryOpen('signing keys', key.private_jwk) === undefined) unusable.add(keyOf(key))
    }
    const failed = new Set(fresh.filter((key) => unusable.has(keyOf(key))).map(({ slug }) => slug))
    opened = new Set(published.map(keyOf).filter((key) => !unusable.has(key)))
    if (failed.size > 0) throw new (opened.size > 0 ? PartialLoss : Error)(explain([...failed].sort()))
    passed = before
  }
}

/** Changes with the sealed key. */
const keyOf = ({ school_id: schoolId, kid, fingerprint }: Omit<PublishedKey, 'slug'>): string => `${schoolId} ${kid} ${fingerprint}`

function explain(slugs: readonly string[]): string {
  const more = slugs.length > maxNamed ? ` and ${slugs.length - maxNamed} more` : ''
  return `SECRET_KEY does not open the signing keys of ${slugs.slice(0, maxNamed).join(', ')}${more}. \
Set it to the secret with which the keys were made, or add that secret to the list: SECRET_KEY=new,old`
}
