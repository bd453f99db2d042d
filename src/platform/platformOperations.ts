import { communityOperations } from './communityOperations.ts'
import { formOperations } from './formOperations.ts'
import { moderationOperations } from './moderationOperations.ts'
import { orderOperations } from './orderOperations.ts'
import type { PlatformOperation } from './platformOperation.ts'

/** Every operation of the platform intake. */
export const platformOperations: readonly PlatformOperation[] = [
  ...orderOperations,
  ...communityOperations,
  ...moderationOperations,
  ...formOperations,
]

/** Returns the operation with this id. */
export function platformOperation(id: string): PlatformOperation {
  const found = platformOperations.find((operation) => operation.id === id)
  if (!found) throw new Error(`no operation ${id}`)
  return found
}
