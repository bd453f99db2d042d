import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { requireScope } from '../../engine/declare/access.ts'
import { parameterValues } from '../../engine/declare/expressions.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import type { UndoRules } from '../../engine/externalServices.ts'
import { newActivity } from '../../engine/write/activity.ts'
import { requireCallerOfUndo } from '../../engine/write/callerOfUndo.ts'
import { showChanges } from '../../engine/write/showChanges.ts'

/** Returns what taking a change back must know of the operations. */
export function createUndoRules(operations: readonly Operation[]): UndoRules {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  // Reports have no rows.
  const ofRows = operations.filter(({ kind }) => kind !== 'collectionRead')
  const byTable = Map.groupBy(new Set(ofRows.map(({ resource }) => resource)), ({ table }) => table)
  const typed = (table: string) => (byTable.get(table) ?? []).filter(({ versionColumn }) => versionColumn === 'version')
  return {
    requireAllowed(operationId, caller) {
      const operation = byId.get(operationId)
      if (!operation) throw new Problem('not_undoable', { description: 'The operation of this request does not exist any more.' })
      requireScope(operation, caller)
      return { table: operation.resource.table }
    },
    requireCaller(undoing, operationIds, ids) {
      const taken = operationIds.flatMap((id) => byId.get(id) ?? [])
      const writing = { ...undoing, parameters: parameterValues(new Map()), activity: newActivity() }
      return requireCallerOfUndo(writing, { operations, taken, ids })
    },
    typesOf: (table) => typed(table).map(({ object }) => object),
    show: (writer, changes, own, context) => showChanges(writer, changes, { own, resourcesOf: typed, context }),
    publicId(table, id) {
      const [resource] = byTable.get(table) ?? []
      return resource && toPublicId(resource.idPrefix, id)
    },
  }
}
