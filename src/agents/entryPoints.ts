import type { Operation } from '../engine/declare/operations.ts'
import type { Resource } from '../engine/declare/resource.ts'

/** Returns the operations without path parameters: top-level lists and singletons. */
export const begins = (operations: readonly Operation[]): Operation[] => operations.filter((one) => isWholeList(one) || isSingle(one))

export const isWholeList = ({ kind, path }: Operation): boolean => kind === 'list' && !path.includes('{')

export const isSingle = ({ kind, resource }: Operation): boolean => kind === 'get' && resource.isSingleton

export const isOpen = ({ anonymous }: Operation): boolean => anonymous !== 'none'

export const isShown = (operations: readonly Operation[], resource: Resource): boolean =>
  operations.some((one) => one.kind === 'get' && one.resource === resource && isOpen(one))

/** Returns the operations that visitors can call now: open to them, and not disabled by this school. */
export const openNow = ({ operations, isServed }: { operations: readonly Operation[]; isServed(path: string): Promise<boolean> }) =>
  answering(begins(operations).filter(isOpen), isServed)

/** Returns the operations that are available now: a school can turn off features. */
export async function answering(operations: readonly Operation[], isServed: (path: string) => Promise<boolean>): Promise<Operation[]> {
  const served = await Promise.all(operations.map(({ path }) => isServed(path)))
  return operations.filter((_one, index) => served[index])
}
