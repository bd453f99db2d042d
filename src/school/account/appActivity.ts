import type { PersonCaller } from '../../base/caller.ts'
import { fromPublicId, hashedId, toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import type { SchoolReader } from '../../database/connection/database.ts'
import { outgoingOf } from '../../database/outbox/outgoing.ts'
import { now } from '../../database/statements/expressions.ts'
import type { NamedAuditEvent } from '../../database/tables/auditEvents.ts'
import { changeActionOf, changeActions } from '../../database/tables/changeActions.ts'
import type { ChangeFilter } from '../../database/tables/changeFilter.ts'
import { clientNames } from '../../database/tables/clients.ts'
import { listRecentGrants } from '../../database/tables/connectedApps.ts'
import { type AuditRow, readAudit } from '../../database/tables/readAudit.ts'
import type { Effect } from '../../database/undo/effect.ts'
import { type Sealing, type UndoState, undoStates } from '../../database/undo/records.ts'
import { openEffects } from '../../database/undo/shownChanges.ts'
import { figuresOf, type ObjectChange, readerOf, visibleChanges } from '../../engine/write/visibleChanges.ts'

export const activityActions = [...keysOf(changeActions), 'undone'] as const

export type ActivityAction = (typeof activityActions)[number]

/** A write of an app, as its entry in the audit trail describes it. */
export interface Change {
  operation: string
  action: ActivityAction
  resource: {
    type: string
    /** The public id; null for an operation on many objects. */
    id: string | null
    /** The title or code at the time. Objects that are people have none. */
    label: string | null
    /** The public ids of the objects of an operation on many. */
    ids: string[]
  }
  count: number
  /** Why the app did it, in its own words. */
  reason: string | null
  /** The ids of the activities that it took back. */
  undone: string[]
  /** The one request that it took back. */
  reverses?: { operation: string; action: ActivityAction; isAgain: boolean } | undefined
}

/** Returns the write that an entry of the audit trail is about; undefined for every other event. */
export function changeOf({ event, details }: Pick<AuditRow, 'event' | 'details'>): Change | undefined {
  const { operation, resource, agent_reason: reason, undone, reverses } = details
  if (typeof operation !== 'string' || !isObject(resource)) return undefined
  const ids = textsIn(resource.ids)
  return {
    operation,
    action: actionOf(event),
    resource: { type: String(resource.type), id: textOrNull(resource.id), label: textOrNull(resource.label), ids },
    count: Math.max(ids.length, 1),
    reason: textOrNull(reason),
    undone: textsIn(undone),
    ...(isObject(reverses) && {
      reverses: { operation: String(reverses.operation), action: actionOf(String(reverses.event)), isAgain: reverses.isAgain === true },
    }),
  }
}

/** Returns the write that an effect is about. */
export const changeOfEffect = ({ operation, event, target }: Effect): Change => ({
  ...{ operation, action: actionOf(event), resource: { ...target, ids: [...target.ids] }, count: Math.max(target.ids.length, 1) },
  ...{ reason: null, undone: [] },
})

const actionOf = (event: string): ActivityAction =>
  event === ('activity.undone' satisfies NamedAuditEvent) ? 'undone' : changeActionOf(event.split('.')[1] ?? '')

const textsIn = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Returns a change with the name of its only object, if its entry has none: entries outlive people. */
export function withLabel(change: Change, changes: readonly ObjectChange[]): Change {
  const { resource, count } = change
  if (resource.label !== null || count > 1) return change
  const only = resource.id ?? resource.ids[0]
  const named = changes.find(({ id }) => id === only) ?? changes.find(({ type, action }) => type === resource.type && action === 'created')
  return { ...change, resource: { ...resource, label: named?.label ?? null } }
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const notUndoable: UndoState = { possible: false, until: null, undone_at: null }

export interface ActivityRequest {
  grantId: string
  action?: ActivityAction | undefined
  /** The type of the changed objects, or the id of one of them. */
  resource?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
  caller: PersonCaller
  sealing: Pick<Sealing, 'open'>
  /** The page: see `RequestedPage`. */
  page: { limit: number; next?: { id: string; isBackward: boolean } | undefined }
}

/** Returns what an app did with a grant, the newest first, and one element more if there are more. */
export async function listActivity(
  database: SchoolReader,
  schoolId: string,
  { grantId, action, resource, since, until, caller, sealing, page }: ActivityRequest,
) {
  const isBackward = page.next?.isBackward ?? false
  const rows = await readAudit(database, {
    schoolId,
    changes: { ofGrant: grantId, action, ...objectFilter(resource) },
    since,
    until,
    order: isBackward ? 'asc' : 'desc',
    after: page.next && fromPublicId('act', page.next.id),
    limit: page.limit + 1,
  })
  const ids = rows.map(({ id }) => id)
  const undo = await undoStates(database, ids)
  const changes = await openEffects(database, ids, sealing)
  const outgoing = await outgoingOf(database, ids)
  const names = await clientNames(database, [...new Set(rows.flatMap(({ client_id: id }) => id ?? []))])
  return {
    data: rows.flatMap((row) => {
      const change = changeOf(row)
      if (!change) return []
      const shown = visibleChanges(changes.get(row.id)?.changes ?? [], readerOf(caller))
      const { client_id: id } = row
      const by = { kind: 'app', client_id: id, client_name: (id !== null && names.get(id)) || null }
      return [
        {
          id: toPublicId('act', row.id),
          object: 'activity',
          at: row.at,
          ...withLabel(change, shown),
          by,
          changes: shown,
          ...figuresOf(changes.get(row.id)),
          undo: undo.get(row.id) ?? notUndoable,
          outgoing: outgoing.get(row.id) ?? null,
        },
      ]
    }),
  }
}

export const objectFilter = (resource: string | undefined): Pick<ChangeFilter, 'type' | 'objectId'> =>
  resource === undefined ? {} : /^[a-z]{3}_\w{26}$/.test(resource) ? { objectId: resource } : { type: resource }

/**
 * Returns a grant of the account by its public id, also for a while after its end.
 * @throws Problem not_found, also for a grant of another account
 */
export async function findOwnGrant(
  database: SchoolReader,
  { accountId, id }: { accountId: string; id: string },
): Promise<{ id: string; client_id: string }> {
  const own = await listRecentGrants(database, database.schoolId, accountId)
  const found = own.find((grant) => hashedId('aut', grant.id) === id)
  if (!found) throw new Problem('not_found', { description: 'The authorization does not exist.' })
  return found
}

/** Returns how many changes of an app the person can take back, and the id of the oldest; undefined if there are none. */
export async function undoableChanges(
  database: SchoolReader,
  { accountId, clientId }: { accountId: string; clientId: string },
): Promise<{ count: number; oldest: string } | undefined> {
  const { count, oldest } = await database
    .selectFrom('undo_record')
    .innerJoin('audit_log', 'audit_log.id', 'undo_record.id')
    .select((row) => [
      row.cast<number>(row.fn.countAll(), 'int4').as('count'),
      row.fn.min<string | null>(row.cast<string>('audit_log.id', 'text')).as('oldest'),
    ])
    .where('audit_log.client_id', '=', clientId)
    .where('audit_log.account_id', '=', accountId)
    .where('audit_log.event', '<>', 'activity.undone' satisfies NamedAuditEvent)
    .where('undo_record.is_undoable', '=', true)
    .where('undo_record.undone_at', 'is', null)
    .where('undo_record.expires_at', '>', now)
    .executeTakeFirstOrThrow()
  return oldest === null ? undefined : { count, oldest: toPublicId('act', oldest) }
}
