import type { Context } from 'koa'

/** The operations of paths without a separate route, by the beginning of the path. */
const byPrefix: readonly [prefix: string, operation: string][] = [
  ['/mcp', 'mcp'],
  ['/files/', 'downloadFile'],
  ['/uploads/', 'uploadFile'],
  ['/calendar/', 'calendar'],
  ['/docs', 'reference'],
  ['/assets/', 'asset'],
]

const documentOperation = 'document'

/** The operations that `operationOf` returns for paths without a separate route. */
export const pathOperations: readonly string[] = [...byPrefix.map(([, operation]) => operation), documentOperation, 'preflight']

/** Returns the operation of a page: the template of its path, without the name of a part that may be anything. */
export const operationOfRoute = (path: string): string => path.replace(/\{\*\w+\}/, '*')

/**
 * Returns the operation of a request, which is one of a few: the id of the operation, the template of the page's path, or a name by the
 * beginning of the path. Undefined operations are counted as one.
 */
export function operationOf({ state, method, path, status, _matchedRoute }: Context & { _matchedRoute?: unknown }): string {
  if (state.operation !== undefined) return state.operation
  if (typeof _matchedRoute === 'string') return operationOfRoute(_matchedRoute)
  if (method === 'OPTIONS') return 'preflight'
  if (state.storable) return documentOperation
  const found = byPrefix.find(([prefix]) => path.startsWith(prefix))
  if (found) return found[1]
  return status < 400 ? documentOperation : 'other'
}
