import { sql } from 'kysely'
import type { Reader } from '../connection/database.ts'

export interface ConfiguredEndpoint {
  schoolId: string
  name: string
  /** Types of events, as the triggers compare them: `order`, `security.grant.revoked`. */
  types: readonly string[]
  /** SHA-256 of the URL. */
  urlHash: string
}

/**
 * Stores which endpoints get which events from now on. An endpoint with a new URL begins with a new state. Endpoints of these schools that
 * are not listed get no events.
 */
export async function syncEndpoints(db: Reader, schoolIds: readonly string[], endpoints: readonly ConfiguredEndpoint[]): Promise<void> {
  const rows = JSON.stringify(
    endpoints.map(({ schoolId, name, types, urlHash }) => ({ school_id: schoolId, name, types, url_hash: urlHash })),
  )
  await db
    .updateTable('webhook_endpoint')
    .set({ is_active: false })
    .where('is_active', '=', true)
    .where(({ ref }) => sql<boolean>`${ref('school_id')} = ANY (${[...schoolIds]}::uuid[])`)
    .where(({ not, exists, selectFrom, ref }) =>
      not(
        exists(
          selectFrom(listed(rows))
            .select('listed.name')
            .whereRef('listed.school_id', '=', ref('webhook_endpoint.school_id'))
            .whereRef('listed.name', '=', ref('webhook_endpoint.name')),
        ),
      ),
    )
    .execute()
  if (endpoints.length === 0) return
  await db
    .insertInto('webhook_endpoint')
    .columns(['school_id', 'name', 'types', 'url_hash'])
    .expression(db.selectFrom(listed(rows)).select(['listed.school_id', 'listed.name', 'listed.types', 'listed.url_hash']))
    .onConflict((conflict) =>
      conflict.columns(['school_id', 'name']).doUpdateSet(({ ref, eb }) => {
        const isMoved = eb(ref('excluded.url_hash'), '<>', ref('webhook_endpoint.url_hash'))
        return {
          types: ref('excluded.types'),
          url_hash: ref('excluded.url_hash'),
          is_active: sql<boolean>`${eb.or([isMoved, eb('webhook_endpoint.gone_at', 'is', null)])}`,
          gone_at: eb.case().when(isMoved).then(null).else(ref('webhook_endpoint.gone_at')).end(),
          paused_until: eb.case().when(isMoved).then(null).else(ref('webhook_endpoint.paused_until')).end(),
          failure: eb.case().when(isMoved).then(null).else(ref('webhook_endpoint.failure')).end(),
          failures: eb.case().when(isMoved).then(0).else(ref('webhook_endpoint.failures')).end(),
        }
      }),
    )
    .execute()
}

const listed = (rows: string) =>
  sql<{ school_id: string; name: string; types: string[]; url_hash: string }>`jsonb_to_recordset(${rows}::jsonb)`.as<'listed'>(
    sql`listed (school_id uuid, name text, types text[], url_hash text)`,
  )
