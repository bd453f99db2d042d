import type { z } from 'zod'
import type { Resource } from './resource.ts'
import { toColumn } from './writeForm.ts'

/** Values of fields as their columns take them. Inputs have no columns. */
export function columnsOfValues(resource: Resource, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shape = resource.schema.shape as Record<string, z.ZodType>
  return Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const schema = shape[field]
      if (!schema) return []
      const write = resource.writers.get(field)
      return write ? Object.entries(write(value as never)) : [[field, toColumn(schema, value)]]
    }),
  )
}
