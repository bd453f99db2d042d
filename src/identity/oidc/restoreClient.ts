import { clientTag } from '../../database/facts/fact.ts'
import { factsOfClient, type Stores } from './stores.ts'

/** Enables a client again; its earlier tokens stay revoked. Deletes the marker in Redis first, because it would invalidate new tokens. */
export async function restoreClient(stores: Stores, schoolId: string, clientId: string): Promise<void> {
  const { ephemeral, durable, facts } = stores
  const restored = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  await facts.changing(await factsOfClient(stores, schoolId, clientId), async () => {
    await ephemeral.restoreClient(restored)
    if (durable !== ephemeral) await durable.restoreClient(restored)
  })
}
