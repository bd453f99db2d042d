import type { Caller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import type { Resource } from './resource.ts'
import type { SeenRow } from './rows.ts'

/** One row as the caller's view shows it. */
export function present(resource: Resource, row: SeenRow, context: { school: School; caller: Caller }): Record<string, unknown> {
  const source: Record<string, unknown> = { ...row, object: resource.object }
  for (const { field, of, isSelected } of resource.derivations) source[field] = of((isSelected ? row[field] : row) as never, context)
  return resource.pickers[row.seen_as](source) as Record<string, unknown>
}
