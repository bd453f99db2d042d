import { endGrant, type Stores } from '../oidc/stores.ts'
import { clientTag } from '../store/facts/factTags.ts'
import { listGrants } from '../store/grants.ts'

/** Enables a client again; its earlier tokens stay revoked. Deletes the marker in Redis first, because it would invalidate new tokens. */
export async function restoreClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const restored = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  await stores.ephemeral.restoreClient(restored)
  if (stores.durable !== stores.ephemeral) await stores.durable.restoreClient(restored)
}

/** Revokes all grants of a person, including those that are added meanwhile. Returns their number. */
export async function endGrants(stores: Stores, schoolId: string, accountId: string): Promise<number> {
  let ended = 0
  for (;;) {
    const grants = await listGrants(stores.database, schoolId, { accountId })
    if (grants.length === 0) return ended
    for (const { id } of grants) await endGrant(stores, schoolId, id)
    ended += grants.length
  }
}
