import type { Operation } from './operations.ts'

/** Returns true if what an operation changes can be taken back for some days, or why not. */
export const undoOf = (operation: Operation): true | string =>
  ('rules' in operation && 'undo' in operation.rules && operation.rules.undo) || operation.resource.undo || undeclared

/** The result of `undoOf` for an operation that declares nothing. */
export const undeclared = 'It is not declared.'
