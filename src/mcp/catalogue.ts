import type { Surroundings } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { toolParameters } from '../framework/declare/parameters.ts'
import { run } from '../framework/run.ts'
import type { Caller } from '../policy/caller.ts'

/** One read operation for visitors, with the names and limits of a tool. */
export interface CatalogueRead {
  /** `list_courses`. */
  name: string
  operation: Operation
}

/** The caller of every tool call, with or without a token: results contain what a visitor sees. */
const visitor: Caller = { kind: 'anonymous' }

/**
 * Returns every read operation that is open to visitors and whose feature the school has enabled. New resources are included automatically.
 */
export function catalogueReads(operations: readonly Operation[]): CatalogueRead[] {
  return operations
    .filter(({ method, anonymous, resource }) => method === 'GET' && anonymous !== 'none' && resource.isInCatalogue)
    .map((operation) => ({ name: snakeCase(operation.id), operation: { ...operation, parameters: toolParameters(operation.parameters) } }))
}

/**
 * Runs the operation as a visitor, in the same way as the API.
 * @throws Problem
 */
export async function read(
  { operation }: CatalogueRead,
  values: Readonly<Record<string, unknown>>,
  surroundings: Surroundings,
): Promise<Record<string, unknown>> {
  return (await run(operation, visitor, { parameters: () => values }, surroundings)).body
}

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (email) => `_${email.toLowerCase()}`)
