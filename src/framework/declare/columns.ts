import type { Resource } from './resource.ts'
import { membersOf } from './schemas.ts'
import { toColumn } from './writeForm.ts'

/** Converts values of fields to values of their columns. Inputs have no columns. */
export function columnsOfValues(resource: Resource, values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shape = membersOf(resource.schema)
  return Object.fromEntries(
    Object.entries(values).flatMap(([field, value]) => {
      const schema = shape[field]
      if (!schema) return []
      const write = resource.writers.get(field)
      return write ? Object.entries(write(value)) : [[field, toColumn(schema, value)]]
    }),
  )
}
