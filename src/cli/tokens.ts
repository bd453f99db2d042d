import { endGrant, type Stores } from '../oidc/stores.ts'
import { clientTag } from '../oidc/tokenTags.ts'
import { listGrants } from '../store/grants.ts'

/** Enables a client again; its earlier tokens stay revoked. The marker in Redis goes first, because it would hide new tokens. */
export async function restoreClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const restored = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  await stores.ephemeral.restoreClient(restored)
  if (stores.durable !== stores.ephemeral) await stores.durable.restoreClient(restored)
}

/** Ends everything that a person has allowed, also what is granted meanwhile. Answers the number of grants. */
export async function endGrants(stores: Stores, schoolId: string, accountId: string): Promise<number> {
  let ended = 0
  for (;;) {
    const grants = await listGrants(stores.database, schoolId, { accountId })
    if (grants.length === 0) return ended
    for (const { id } of grants) await endGrant(stores, schoolId, id)
    ended += grants.length
  }
}
