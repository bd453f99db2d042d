import type { ExternalServices } from '../externalServices.ts'
import type { Resource } from './resource.ts'
import { membersOf, toColumn } from './views.ts'

/** Converts values of fields to values of their columns. Inputs have no columns. */
export async function columnsOfValues(
  resource: Resource,
  values: Readonly<Record<string, unknown>>,
  services: ExternalServices,
): Promise<Record<string, unknown>> {
  const shape = membersOf(resource.schema)
  const columns: Record<string, unknown> = {}
  for (const [field, value] of Object.entries(values)) {
    const schema = shape[field]
    if (!schema) continue
    const write = resource.writers.get(field)
    Object.assign(columns, write ? await Promise.resolve(write(value, services)) : { [field]: toColumn(schema, value) })
  }
  return columns
}
