import { fromPublicId, toPublicId } from '../../../src/base/ids.ts'
import { newPlan } from '../../support/memberships.ts'
import { newPerson } from '../../support/shop.ts'
import type { Exceptions, Requests } from '../derived/exceptions.ts'

/** A price of an active plan, and its plan. */
async function price({ database, school }: Requests) {
  const { planId, priceId } = await newPlan(database.sql, school.id)
  return { plan_id: toPublicId('mpl', planId), price_id: toPublicId('prc', priceId) }
}

export const exceptions: Exceptions = {
  before: {
    /** It resumes what it was paused from, so no status says that it has an effect. */
    resumeSubscription: ({ send }, id) => send('pauseSubscription', id),
    /** A payment is due. */
    markSubscriptionPaid: ({ database, school }, id) =>
      database.sql.query(
        `UPDATE subscription SET status = 'past_due', past_due_since = now(), current_period_start = now() - interval '31 days', current_period_end = now()
          WHERE school_id = $1 AND id = $2`,
        [school.id, fromPublicId('sub', id)],
      ),
  },
  bodies: {
    createSubscription: async (requests) => ({
      ...(await price(requests)),
      member_id: toPublicId('mbr', await newPerson(requests.database.sql, requests.school.id)),
    }),
    // Its first field is the end of a trial, which it does not have.
    updateSubscription: async () => ({ metadata: { desk: 'by the window' } }),
    changePlan: async (requests) => ({ price_id: (await price(requests)).price_id }),
  },
}
