import { z } from 'zod'
import type { Operation } from '../declare/operations.ts'
import { membersOf, unwrapped } from '../declare/views.ts'
import { bodySchema } from './publishedSchemas.ts'

/** The parameters of the path of an operation, and the members of its body with their limits. */
export interface OperationInput {
  parameters: readonly string[]
  fields: Readonly<Record<string, { maxLength?: number | undefined; options?: readonly string[] }>>
}

export function operationInput(operation: Operation): OperationInput {
  const members = Object.entries(membersOf(bodySchema(operation) ?? z.object({})))
  return {
    parameters: operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    fields: Object.fromEntries(members.map(([name, schema]) => [name, limitsOf(unwrapped(schema))])),
  }
}

function limitsOf(schema: z.ZodType) {
  if (schema instanceof z.ZodEnum) return { options: schema.options.map(String) }
  return schema instanceof z.ZodString ? { maxLength: schema.maxLength ?? undefined } : {}
}
