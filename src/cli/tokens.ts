import { endGrant, type Stores } from '../oidc/stores.ts'
import { listGrants } from '../store/grants.ts'

/** Revokes all grants of a person, including those that are added meanwhile. Returns their number. */
export async function endGrants(stores: Stores, schoolId: string, accountId: string): Promise<number> {
  let ended = 0
  for (;;) {
    const grants = await listGrants(stores.database, schoolId, { accountId })
    if (grants.length === 0) return ended
    for (const { id } of grants) await endGrant(stores, { schoolId, grantId: id })
    ended += grants.length
  }
}
