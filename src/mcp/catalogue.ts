import type { Surroundings } from '../framework/call.ts'
import type { Operation } from '../framework/declare/operations.ts'
import { toolParameters } from '../framework/declare/parameters.ts'
import { run } from '../framework/run.ts'
import type { Caller } from '../policy/caller.ts'

/** One read that visitors may make, with the names and limits of a tool. */
export interface CatalogueRead {
  /** `list_courses`. */
  name: string
  operation: Operation
}

/** Whoever calls, and whatever token came along: what is answered here is what a visitor sees. */
const visitor: Caller = { kind: 'anonymous' }

/** Every operation that only reads, is open to visitors and belongs to what the school offers. A new resource is in it by itself. */
export function catalogueReads(operations: readonly Operation[]): CatalogueRead[] {
  return operations
    .filter(({ method, anonymous, resource }) => method === 'GET' && anonymous !== 'none' && resource.isInCatalogue)
    .map((operation) => ({ name: snakeCase(operation.id), operation: { ...operation, parameters: toolParameters(operation.parameters) } }))
}

/**
 * Reads as a visitor, by the road that the API takes.
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
