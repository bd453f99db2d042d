import { listGrantKeys } from '../../database/tables/grants.ts'
import { endGrant, type Stores } from '../../identity/oidc/stores.ts'

const grantsAtOnce = 500

/** Revokes all grants of a person, including those that are added meanwhile. Returns their number. */
export async function endGrants(stores: Stores, schoolId: string, accountId: string): Promise<number> {
  let ended = 0
  for (;;) {
    const grants = await listGrantKeys(stores.database, schoolId, { accountId, limit: grantsAtOnce })
    if (grants.length === 0) return ended
    for (const { id } of grants) await endGrant(stores, { schoolId, grantId: id })
    ended += grants.length
  }
}
