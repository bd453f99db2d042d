import { clientFact } from '../store/facts/fact.ts'
import { clientTag } from '../store/facts/factTags.ts'
import type { Stores } from './stores.ts'

/** Enables a client again; its earlier tokens stay revoked. Deletes the marker in Redis first, because it would invalidate new tokens. */
export async function restoreClient({ ephemeral, durable, facts }: Stores, schoolId: string, clientId: string): Promise<void> {
  const restored = { schoolId, clientId, clientTag: clientTag(schoolId, clientId) }
  await facts.changing([clientFact(schoolId, clientId)], async () => {
    await ephemeral.restoreClient(restored)
    if (durable !== ephemeral) await durable.restoreClient(restored)
  })
}
