import type { Keyring } from '../../base/keyring.ts'
import type { Database } from '../../database/connection/database.ts'
import { listSchoolsWithoutKeys } from '../../database/tables/signingKeys.ts'
import { makeMissingKeys, signingAlgorithms } from '../../identity/oidc/signingKeys.ts'
import { checkoutAddressIn } from '../../school/orders/checkoutAddressIn.ts'
import { endGrantWithin } from '../compose/externalServices.ts'
import type { Foundation } from '../compose/foundation.ts'
import { grantRevoked } from '../compose/grantRevoked.ts'
import { schoolConfigOf } from '../compose/runtime.ts'
import { allJobs } from '../jobs/allJobs.ts'
import type { Job } from '../jobs/schedule.ts'
import { watchedOperations } from '../metrics/watchedOperations.ts'

export const createJobs = ({ background: database, stores, storage, runtime, counted, outbox, log }: Foundation): Job[] =>
  allJobs({
    database,
    storage,
    onMissingFile: (missing) => log.warn(missing, 'file is gone'),
    artifacts: stores.durable,
    endGrant: (writer, grant) => endGrantWithin(stores, writer, grant, counted(grantRevoked(grant, { by: 'deletion' }))),
    registration: () => runtime.config.oauth.registration,
    retention: () => runtime.config.server.audit,
    send: outbox.send,
    watched: watchedOperations(),
    hasPages: (school) => schoolConfigOf(runtime, school).public_pages,
    externalServices: {
      send: outbox.send,
      checkoutAddress: checkoutAddressIn((school) => schoolConfigOf(runtime, school).checkout_url),
    },
    schools: async () => runtime.schools.all.map(({ school }) => school),
  })

export const createSigningKeyJob = ({ background: database, keyring, runtime }: Foundation): Job =>
  signingKeyJob({
    database,
    keyring,
    schools: () => runtime.schools.all.map(({ school }) => school.id),
    keepHours: () => runtime.config.oauth.signing_keys.keep_after_retirement_hours,
  })

interface SigningKeyJobArguments {
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
