import { communityOperations } from './communityOperations.ts'
import { formOperations } from './formOperations.ts'
import { orderOperations } from './orderOperations.ts'
import type { PlatformOperation } from './platformOperation.ts'

/** Every operation of the platform intake. */
export const platformOperations: readonly PlatformOperation[] = [...orderOperations, ...communityOperations, ...formOperations]

/** Returns the operation with this id. */
export function platformOperation(id: string): PlatformOperation {
  const found = platformOperations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}
