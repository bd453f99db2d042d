import type { Caller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import { rowEtag } from './etag.ts'
import type { Resource } from './resource.ts'
import type { SeenRow } from './rows.ts'

interface Context {
  school: School
  caller: Caller
}

/** One row as the caller's view shows it. */
export const present = (resource: Resource, row: SeenRow, context: Context): Record<string, unknown> =>
  resource.pickers[row.seen_as](sourceOf(resource, row, context)) as Record<string, unknown>

/** The whole row with the names and forms of the API, whoever asks: what changes are laid over. */
export const presentWhole = (resource: Resource, row: SeenRow, context: Context): Record<string, unknown> =>
  resource.pickers.staff(sourceOf(resource, row, context)) as Record<string, unknown>

/** A row as it is answered, with the tag that a change of it may name. */
export function represent(
  resource: Resource,
  row: SeenRow,
  context: Context,
): { body: Record<string, unknown>; text: string; etag: string } {
  const body = present(resource, row, context)
  const text = JSON.stringify(body)
  return { body, text, etag: rowEtag(row.version, row.seen_as, text) }
}

function sourceOf(resource: Resource, row: SeenRow, context: Context): Record<string, unknown> {
  const source: Record<string, unknown> = { ...row, object: resource.object }
  for (const { field, of, isSelected } of resource.derivations) source[field] = of((isSelected ? row[field] : row) as never, context)
  return source
}
