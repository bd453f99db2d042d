import { sql } from 'kysely'
import { firstIdAt } from '../../base/ids.ts'
import type { SchoolReader } from '../connection/database.ts'
import { type Builder, daySeconds, secondsAgo } from '../statements/expressions.ts'
import { changeConditions } from './changeFilter.ts'

export interface AppChanges {
  client_id: string
  /** Requests that changed something. */
  changes: number
  /** Objects that they deleted. */
  deletions: number
}

export interface AppCalls {
  client_id: string
  operation: string
  rows: number
  refused: number
}

/**
 * The number of objects that requests of these entries deleted through the API, and that they overwrote. An entry of a deletion counts at least
 * the objects that it names: those of earlier releases have no count, and an erased person has no row that is gone.
 */
export const lostObjects = {
  deletions: (row: Builder<'audit_log'>) =>
    sql<number>`coalesce(sum(greatest(
      CASE WHEN ${row.ref('audit_log.event')} LIKE '%.deleted' THEN coalesce(jsonb_array_length(${row.ref('audit_log.details')} #> '{resource,ids}'), 1) ELSE 0 END,
      (${row.ref('audit_log.details')} #>> '{losses,deleted}')::int)) FILTER (WHERE ${row.ref('audit_log.details')} ? 'operation'), 0)::int`,
  overwrites: (row: Builder<'audit_log'>) =>
    sql<number>`coalesce(sum((${row.ref('audit_log.details')} #>> '{losses,overwritten}')::int), 0)::int`,
}

/** Counts what apps changed since so many days. */
export async function countAppChanges(reader: SchoolReader, clientIds: readonly string[], days: number): Promise<AppChanges[]> {
  if (clientIds.length === 0) return []
  return await reader
    .selectFrom('audit_log')
    .select((row) => [
      row.ref('client_id').$notNull().as('client_id'),
      row.cast<number>(row.fn.countAll(), 'int4').as('changes'),
      lostObjects.deletions(row).as('deletions'),
    ])
    .where('client_id', 'in', clientIds)
    .where('id', '>=', firstIdAt(Date.now() - daySeconds(days) * 1000))
    .where((row) => row.and(changeConditions({})(row)))
    .groupBy('client_id')
    .execute()
}

/** Counts what apps called since so many days. */
export async function countAppCalls(reader: SchoolReader, clientIds: readonly string[], days: number): Promise<AppCalls[]> {
  if (clientIds.length === 0) return []
  return await reader
    .selectFrom('grant_use')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'grant_use.grant_id')
    .select((row) => [
      'oidc_grant.client_id',
      'grant_use.operation',
      row.cast<number>(row.fn.sum('grant_use.rows'), 'float8').as('rows'),
      row.cast<number>(row.fn.sum('grant_use.refused'), 'float8').as('refused'),
    ])
    .where('oidc_grant.client_id', 'in', clientIds)
    .where('grant_use.day', '>', secondsAgo(daySeconds(days)))
    .groupBy(['oidc_grant.client_id', 'grant_use.operation'])
    .execute()
}
