import { sql } from 'kysely'
import type { SchoolReader } from '../connection/database.ts'
import { unnest } from '../statements/unnest.ts'

/** Returns the last write about each of these objects after an entry, by their public ids. */
export async function findLaterChanges(reader: SchoolReader, after: string, publicIds: readonly string[]) {
  if (publicIds.length === 0) return new Map<string, never>()
  const rows = await reader
    .selectFrom('audit_log')
    .innerJoin(unnest('wanted', { public_id: { type: 'text', values: [...publicIds] } }), (join) =>
      join.on(
        ({ ref }) => sql<boolean>`(${ref('audit_log.details')} #>> '{resource,id}' = ${ref('wanted.public_id')}
          OR ${ref('audit_log.details')} #> '{resource,ids}' ? ${ref('wanted.public_id')})`,
      ),
    )
    .distinctOn('wanted.public_id')
    .select(['wanted.public_id', 'audit_log.id', 'audit_log.at', 'audit_log.client_id', 'audit_log.account_id'])
    .where('audit_log.id', '>', after)
    .where(({ ref }) => sql<boolean>`${ref('audit_log.details')} ? 'operation'`)
    .orderBy('wanted.public_id')
    .orderBy('audit_log.id', 'desc')
    .execute()
  return new Map(rows.map(({ public_id, ...row }) => [public_id, row]))
}
