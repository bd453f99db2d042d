import type { Caller } from '../../base/caller.ts'
import type { RunContext } from '../call.ts'
import { notPublic, requireScope } from '../declare/access.ts'
import type { OperationOf } from '../declare/operations.ts'
import { queryScopeOf } from '../declare/queryScope.ts'
import { countRows } from './findRows.ts'
import { isClosedToVisitors } from './visible.ts'

/**
 * Counts the rows of a whole list that the caller can see, up to `most`, in one statement that reads nothing but their ids.
 * @throws Problem access_denied if the list is closed to the caller
 */
export async function countList(
  operation: OperationOf<'list'>,
  { caller, most }: { caller: Caller; most: number },
  { database, school }: Pick<RunContext, 'database' | 'school'>,
): Promise<number> {
  requireScope(operation, caller)
  const queryScope = queryScopeOf({ resource: operation.resource, schoolId: school.id, caller, statements: undefined })
  if (await isClosedToVisitors(database, queryScope)) throw notPublic(operation)
  return await countRows(database, queryScope, [], most)
}
