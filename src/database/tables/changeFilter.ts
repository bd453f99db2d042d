import { sql } from 'kysely'
import type { Builder } from '../statements/expressions.ts'
import { type ChangeAction, changeActionOf, changeVerbs } from './changeActions.ts'

/** Which writes through the API are read; all by default. */
export interface ChangeFilter {
  action?: ChangeAction | 'undone' | undefined
  type?: string | undefined
  /** The public id of a changed object. */
  objectId?: string | undefined
  /** Writes with this grant. In contrast to `grantId`, events that end the grant are left out. */
  ofGrant?: string | undefined
}

/** Returns the conditions of entries about writes through the API: their details name the operation. */
export function changeConditions({ action, type, objectId, ofGrant }: ChangeFilter) {
  return (row: Builder<'audit_log'>) => {
    const details = row.ref('details')
    const isWhole = ofGrant !== undefined && action === undefined && type === undefined && objectId === undefined
    const verb = sql<string>`split_part(${row.ref('event')}, '.', 2)`
    return [
      sql<boolean>`${details} ? 'operation'`,
      ...(ofGrant === undefined ? [] : [row('grant_id', '=', ofGrant)]),
      // A proposal is one activity, unless something in it is looked for.
      ...(isWhole ? [sql<boolean>`NOT ${details} ? 'part_of'`] : []),
      ...(action === undefined ? [] : [isAction(action, verb)]),
      ...(type === undefined ? [] : [sql<boolean>`(${row.ref('event')} ^@ ${`${type}.`} OR ${details} #>> '{resource,type}' = ${type})`]),
      ...(objectId === undefined
        ? []
        : [sql<boolean>`(${details} #>> '{resource,id}' = ${objectId} OR ${details} #> '{resource,ids}' ? ${objectId})`]),
    ]
  }
}

/** An action is stored as the verb of its operation; verbs of no action are updates. */
function isAction(action: ChangeAction | 'undone', verb: ReturnType<typeof sql<string>>) {
  if (action === 'undone') return sql<boolean>`${verb} = ${action}`
  if (action === 'updated') {
    const others = ['undone', ...changeVerbs.filter((one) => changeActionOf(one) !== 'updated')]
    return sql<boolean>`${verb} <> ALL (${others}::text[])`
  }
  return sql<boolean>`${verb} = ANY (${changeVerbs.filter((one) => changeActionOf(one) === action)}::text[])`
}
