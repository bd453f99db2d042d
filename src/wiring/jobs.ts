import { allJobs } from '../jobs/allJobs.ts'
import type { Job } from '../jobs/schedule.ts'
import { checkoutAddressIn } from '../policy/checkoutAddressIn.ts'
import { endGrantWithin } from './externalServices.ts'
import type { Foundation } from './foundation.ts'
import { grantRevoked } from './grantRevoked.ts'
import { schoolConfigOf } from './runtime.ts'
import { signingKeyJob } from './signingKeyJob.ts'

/** Creates the background jobs. */
export const createJobs = ({ background: database, stores, storage, runtime, counted, outbox }: Foundation): Job[] =>
  allJobs({
    database,
    storage,
    artifacts: stores.durable,
    endGrant: (writer, grant) => endGrantWithin(stores, writer, grant, counted(grantRevoked(grant, { by: 'deletion' }))),
    registration: () => runtime.config.oauth.registration,
    retention: () => runtime.config.server.audit,
    send: outbox.send,
    externalServices: {
      send: outbox.send,
      checkoutAddress: checkoutAddressIn((school) => schoolConfigOf(runtime, school).checkout_url),
    },
    schools: async () => runtime.schools.all.map(({ school }) => school),
  })

/** Creates the job that creates the signing keys of new schools. */
export const createSigningKeyJob = ({ background: database, keyring, runtime }: Foundation): Job =>
  signingKeyJob({
    database,
    keyring,
    schools: () => runtime.schools.all.map(({ school }) => school.id),
    keepHours: () => runtime.config.oauth.signing_keys.keep_after_retirement_hours,
  })
