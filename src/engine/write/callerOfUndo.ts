import { audienceOf, type PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { requireScope } from '../declare/access.ts'
import type { SeenRow, Values } from '../declare/expressions.ts'
import type { Operation, OperationOf } from '../declare/operations.ts'
import { queryScopeOf } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { viewRank } from '../declare/views.ts'
import type { StateChange, SubjectRow } from '../externalServices.ts'
import { serializeWhole } from '../output/serialize.ts'
import { findWholeRows } from '../read/findRows.ts'
import { changedFields, statusOf, withoutCurrentInputs } from './changeRow.ts'
import { roleError } from './parseBody.ts'
import type { Writing } from './writing.ts'

interface TakenBackRow {
  resource: Resource
  action: SubjectRow['action']
  /** The row as the caller could read it before and after. */
  was: SeenRow | undefined
  is: SeenRow | undefined
  /** The one of both that decides: a restored row exists only afterwards. */
  shown: SeenRow
}

/**
 * Applies the rules about the caller to what taking a request back does. Call it before, and the result afterwards, with the rows that were taken
 * back: they may be changed only as the caller could change them with an operation. Returns which states changed.
 * @throws Problem access_denied, insufficient_scope
 */
export async function requireCallerOfUndo(
  writing: Writing,
  { operations, taken, ids }: { operations: readonly Operation[]; taken: readonly Operation[]; ids: readonly string[] },
): Promise<(rows: readonly SubjectRow[]) => Promise<StateChange[]>> {
  const { writer, caller } = writing
  const resources = [...new Set(taken.map(({ resource }) => resource))]
  const load = async (): Promise<Map<Resource, Map<string, SeenRow>>> => {
    const loaded = new Map<Resource, Map<string, SeenRow>>()
    for (const resource of resources) {
      const rows = await findWholeRows(writer, queryScopeOf({ resource, schoolId: writer.schoolId, caller }), ids)
      loaded.set(resource, new Map(rows.map((row) => [row.id, row])))
    }
    return loaded
  }
  const before = await load()
  return async (rows) => {
    const after = await load()
    const states: StateChange[] = []
    const subjects = rows.filter(({ table }) => resources.some((resource) => resource.table === table))
    const isStaff = audienceOf(caller) === 'staff'
    if (!isStaff && rows.length > 0 && subjects.length === 0) throw noPermission()
    for (const { table, id = '', action } of subjects) {
      const seen = resources
        .filter((resource) => resource.table === table)
        .flatMap((resource): TakenBackRow[] => {
          const [was, is] = [before.get(resource)?.get(id), after.get(resource)?.get(id)]
          const shown = action === 'restored' ? is : was
          return shown ? [{ resource, action, was, is, shown }] : []
        })
      if (!isStaff && !seen.some(({ resource, shown }) => taken.some((one) => one.resource === resource && isSeenEnough(one, shown))))
        throw noPermission()
      for (const one of seen) states.push(...(await requireCallerOf(writing, one, { operations, taken })))
    }
    return states
  }
}

const noPermission = (): Problem =>
  new Problem('access_denied', { description: 'You do not have permission any more for what this request changed.' })

const isSeenEnough = (operation: Operation, row: SeenRow): boolean =>
  viewRank[row.seen_as] >= viewRank['view' in operation ? operation.view : 'own']

async function requireCallerOf(
  writing: Writing,
  row: TakenBackRow,
  { operations, taken }: { operations: readonly Operation[]; taken: readonly Operation[] },
): Promise<StateChange[]> {
  const { resource, action, was, is, shown } = row
  const ofResource = operations.filter((one) => one.resource === resource)
  for (const operation of taken) if (operation.resource === resource) await requireCaller(writing, operation, shown)
  if (action !== 'updated') {
    const opposite = ofResource.find(({ kind }) => kind === (action === 'restored' ? 'create' : 'remove'))
    if (opposite) await requireOperation(writing, opposite, shown)
    return []
  }
  if (!was || !is) return []
  const changed = changedBetween(writing, resource, was, is)
  if (Object.keys(changed).length > 0) {
    const update = ofResource.find(({ kind }) => kind === 'update')
    if (update) await requireOperation(writing, update, was)
    const audience = audienceOf(writing.caller)
    // Later, actions alone change a field that is sent when the row is created, and have their own rules.
    const sent = resource.writable.filter(({ field, isCreateOnly }) => field in changed && !isCreateOnly)
    const ofRoles = sent.flatMap((field) => roleError(field, audience) ?? [])
    const details = [...ofRoles, ...((await resource.checkCaller?.(changed, writing, was)) ?? [])]
    const [first] = details
    if (first) throw new Problem('access_denied', { description: `You may not change this back. ${first.message}`, details })
  }
  return await requireState(writing, row, ofResource)
}

/** Returns the fields and inputs with which a request would make one row of the other. */
function changedBetween(writing: Writing, resource: Resource, was: SeenRow, is: SeenRow): Values {
  const [before, after] = [serializeWhole(resource, was, writing), serializeWhole(resource, is, writing)]
  const fields = Object.fromEntries(resource.writable.map(({ field }) => [field, after[field]]))
  const inputs = Object.fromEntries(Object.entries(resource.currentInputs).map(([name, of]) => [name, of(after)]))
  return changedFields(resource, before, withoutCurrentInputs(resource, before, { ...fields, ...inputs }))
}

/** Requires permission for an action with the same effect on the status, if there is one. Returns that action. */
async function requireState(
  writing: Writing,
  { resource, was, is }: TakenBackRow,
  operations: readonly Operation[],
): Promise<StateChange[]> {
  if (!was || !is || !('status' in resource.schema.shape)) return []
  const [from, to] = [statusOf(resource, was, writing), statusOf(resource, is, writing)]
  if (from === to) return []
  const leading = operations.filter((one): one is OperationOf<'action'> => one.kind === 'action' && [one.rules.to].flat().includes(to))
  const exact = leading.filter(({ rules }) => rules.from?.includes(from) ?? true)
  const refusals: unknown[] = []
  for (const operation of exact) await requireOperation(writing, operation, was).catch((error: unknown) => refusals.push(error))
  if (exact.length > 0 && refusals.length === exact.length) throw refusals[0]
  const [named] = [...exact, ...leading]
  return named ? [{ table: resource.table, id: was.id, type: resource.object, action: named.name }] : []
}

async function requireOperation(writing: Writing, operation: Operation, row: SeenRow): Promise<void> {
  requireScope(operation, writing.caller satisfies PersonCaller)
  if (audienceOf(writing.caller) !== 'staff' && !isSeenEnough(operation, row)) throw noPermission()
  await requireCaller(writing, operation, row)
}

async function requireCaller(writing: Writing, operation: Operation, row: SeenRow): Promise<void> {
  if ('rules' in operation && 'requireCaller' in operation.rules) await operation.rules.requireCaller?.(writing, row)
}
