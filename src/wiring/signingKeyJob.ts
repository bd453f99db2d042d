import type { Job } from '../jobs/schedule.ts'
import type { Keyring } from '../lib/keyring.ts'
import { makeMissingKeys, signingAlgorithms } from '../oidc/signingKeys.ts'
import type { Database } from '../store/database.ts'
import { listSchoolsWithoutKeys } from '../store/signingKeys.ts'

export interface SigningKeyJobArguments {
  database: Database
  keyring: Keyring
  /** The ids of the schools that are served. */
  schools(): readonly string[]
  keepHours(): number
}

/**
 * Returns the job that creates the signing keys of new schools, so that no request has to wait for them. It runs right after the start,
 * and creates the keys of one school after the other: an RSA key takes a processor for a tenth of a second.
 */
export function signingKeyJob({ database, keyring, schools, keepHours }: SigningKeyJobArguments): Job {
  const missing = () =>
    listSchoolsWithoutKeys(database.kysely, { schoolIds: schools(), algorithms: signingAlgorithms, keepHours: keepHours() })
  return {
    name: 'create_signing_keys',
    everySeconds: 60,
    firstAfterSeconds: 0,
    async run(signal) {
      // Asked before the lock, which takes a connection: there is hardly ever anything to create.
      if ((await missing()).length === 0) return { created: 0 }
      return await database.exclusively('create_signing_keys', async () => {
        let created = 0
        for (const schoolId of await missing()) {
          if (signal?.aborted) break
          await makeMissingKeys({ database, schoolId, keyring })
          created += 1
        }
        return { created }
      })
    },
  }
}
