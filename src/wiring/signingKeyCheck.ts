import type { Keyring } from '../lib/keyring.ts'
import type { Reader } from '../store/database.ts'
import { findSealedKey, listPublishedKeys } from '../store/signingKeys.ts'

export interface SigningKeyCheckArguments {
  database: Reader
  keyring: Keyring
  /** The slugs of the schools that are served. */
  schools(): readonly string[]
  /** For how long a retired key is published. */
  keepHours(): number
}

const mostNamed = 5

/**
 * Returns a check that SECRET_KEY opens every published signing key of each school. A key that was opened is opened again only after it
 * has changed. A school without keys passes: it gets its first ones when they are needed.
 */
export function createSigningKeyCheck({ database, keyring, schools, keepHours }: SigningKeyCheckArguments): () => Promise<void> {
  let opened = new Set<string>()
  return async () => {
    const stillOpened = new Set<string>()
    const failed = new Set<string>()
    for (const { school_id: schoolId, slug, kid, fingerprint } of await listPublishedKeys(database, schools(), keepHours())) {
      const key = `${schoolId} ${kid} ${fingerprint}`
      if (opened.has(key) || isOpened(await findSealedKey(database, schoolId, kid))) stillOpened.add(key)
      else failed.add(slug)
    }
    opened = stillOpened
    if (failed.size > 0) throw new Error(explain([...failed]))
  }

  function isOpened(sealed: string | undefined): boolean {
    if (sealed === undefined) return true
    try {
      keyring.open('signing keys', sealed)
      return true
    } catch {
      return false
    }
  }
}

function explain(slugs: readonly string[]): string {
  const more = slugs.length > mostNamed ? ` and ${slugs.length - mostNamed} more` : ''
  return `SECRET_KEY does not open the signing keys of ${slugs.slice(0, mostNamed).join(', ')}${more}. \
Set it to the secret with which the keys were made, or add that secret to the list: SECRET_KEY=new,old`
}
