import { requireScope } from '../framework/declare/access.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { queryScopeOf } from '../framework/declare/queryScope.ts'
import { viewRank } from '../framework/declare/views.ts'
import { findRowsById } from '../framework/read/findRows.ts'
import { toPublicId } from '../lib/ids.ts'
import { Problem } from '../lib/problem.ts'
import type { UndoRules } from '../policy/externalServices.ts'

/** Returns what taking a change back must know of the operations. */
export function createUndoRules(operations: readonly Operation[]): UndoRules {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  const byTable = Map.groupBy(new Set(operations.map(({ resource }) => resource)), ({ table }) => table)
  return {
    requireAllowed(operationId, caller) {
      const operation = byId.get(operationId)
      if (!operation) throw new Problem('not_undoable', { description: 'The operation of this request does not exist any more.' })
      requireScope(operation, caller)
      return { table: operation.resource.table }
    },
    async changeable(writer, caller, operationId, ids) {
      const operation = byId.get(operationId)
      if (!operation) return new Set()
      const queryScope = queryScopeOf({ resource: operation.resource, schoolId: writer.schoolId, caller })
      const needed = viewRank['view' in operation ? operation.view : 'own']
      const rows = await findRowsById(writer, queryScope, ids)
      return new Set(rows.filter(({ seen_as }) => viewRank[seen_as] >= needed).map(({ id }) => id))
    },
    typesOf: (table) => (byTable.get(table) ?? []).filter(({ versionColumn }) => versionColumn === 'version').map(({ object }) => object),
    publicId(table, id) {
      const [resource] = byTable.get(table) ?? []
      return resource && toPublicId(resource.idPrefix, id)
    },
  }
}
