import type { Operation } from '../framework/declare/operations.ts'
import type { Resource } from '../framework/declare/resource.ts'

/** Operations that need nothing but their address: lists that stand under no row, and things of which there is one. */
export const begins = (operations: readonly Operation[]): Operation[] => operations.filter((one) => isWholeList(one) || isSingle(one))

export const isWholeList = ({ kind, path }: Operation): boolean => kind === 'list' && !path.includes('{')

export const isSingle = ({ kind, resource }: Operation): boolean => kind === 'get' && resource.isSingleton

export const isOpen = ({ anonymous }: Operation): boolean => anonymous !== 'none'

/** Whether visitors can look at one row of a resource. */
export const isShown = (operations: readonly Operation[], resource: Resource): boolean =>
  operations.some((one) => one.kind === 'get' && one.resource === resource && isOpen(one))

/** Operations that visitors can call now: open to them, and not closed by this school. */
export const openNow = ({ operations, isServed }: { operations: readonly Operation[]; isServed(path: string): Promise<boolean> }) =>
  answering(begins(operations).filter(isOpen), isServed)

/** Those of the operations that answer at this moment: a school can turn off a part of itself. */
export async function answering(operations: readonly Operation[], isServed: (path: string) => Promise<boolean>): Promise<Operation[]> {
  const served = await Promise.all(operations.map(({ path }) => isServed(path)))
  return operations.filter((_one, index) => served[index])
}
