import { eventSeatJobs } from '../jobs/eventSeats.ts'
import { eventJobs } from '../jobs/events.ts'
import { fileJobs } from '../jobs/files.ts'
import { formJobs } from '../jobs/forms.ts'
import { learningJobs } from '../jobs/learning.ts'
import { orderJobs } from '../jobs/orders.ts'
import { postJobs } from '../jobs/posts.ts'
import { rollupJobs } from '../jobs/rollups.ts'
import type { Job } from '../jobs/schedule.ts'
import { subscriptionJobs } from '../jobs/subscriptions.ts'
import { sweepJobs } from '../jobs/sweep.ts'
import { checkoutAddressIn } from '../policy/checkoutAddressIn.ts'
import { endGrantWithin } from './externalServices.ts'
import type { Foundation } from './foundation.ts'
import { grantRevoked } from './grantRevoked.ts'
import { schoolConfigOf } from './runtime.ts'
import { signingKeyJob } from './signingKeyJob.ts'

/** Returns the function that lists the schools of the current configuration. */
const schoolsOf = (runtime: Foundation['runtime']) => async () => runtime.schools.all.map(({ school }) => school)

/** Creates the background jobs. */
export const createJobs = ({ background: database, stores, storage, runtime, counted, outbox }: Foundation): Job[] => [
  ...sweepJobs({
    database,
    artifacts: stores.durable,
    endGrant: (writer, grant) => endGrantWithin(stores, writer, grant, counted(grantRevoked(grant, { by: 'deletion' }))),
    registration: () => runtime.config.oauth.registration,
    retention: () => runtime.config.server.audit,
  }),
  ...fileJobs({ database, storage }),
  ...subscriptionJobs({ database }),
  ...learningJobs({ database }),
  ...orderJobs({ database }),
  ...rollupJobs({ database }),
  ...postJobs({ database }),
  ...eventSeatJobs({
    database,
    externalServices: {
      send: outbox.send,
      checkoutAddress: checkoutAddressIn((school) => schoolConfigOf(runtime, school).checkout_url),
    },
    schools: schoolsOf(runtime),
  }),
  ...formJobs({ database, send: outbox.send, schools: schoolsOf(runtime) }),
  ...eventJobs({ database, send: outbox.send, schools: schoolsOf(runtime) }),
]

/** Creates the job that creates the signing keys of new schools. */
export const createSigningKeyJob = ({ background: database, keyring, runtime }: Foundation): Job =>
  signingKeyJob({
    database,
    keyring,
    schools: () => runtime.schools.all.map(({ school }) => school.id),
    keepHours: () => runtime.config.oauth.signing_keys.keep_after_retirement_hours,
  })
