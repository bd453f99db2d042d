import type { z } from 'zod'
import type { Presentation } from '../declare/declaration.ts'
import type { SeenRow } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import { isShownIn, pickerOf } from '../declare/views.ts'
import { rowEtag } from './etag.ts'

/** One row as the caller's view shows it. */
export const present = (resource: Resource, row: SeenRow, context: Presentation): Record<string, unknown> =>
  resource.pickers[row.seen_as](withoutGated(resource, row, sourceOf(resource, row, context))) as Record<string, unknown>

/** The whole row with the names and forms of the API, whoever asks: what changes are laid over. */
export const presentWhole = (resource: Resource, row: SeenRow, context: Presentation): Record<string, unknown> =>
  resource.pickers.staff(sourceOf(resource, row, context)) as Record<string, unknown>

/** A row as it is answered, with the tag that a change of it may name. */
export function represent(
  resource: Resource,
  row: SeenRow,
  context: Presentation,
): { body: Record<string, unknown>; text: string; etag: string } {
  const body = present(resource, row, context)
  const text = JSON.stringify(body)
  return { body, text, etag: rowEtag(row.version, row.seen_as, text) }
}

/** The values without those of gated fields, where the row is not open to the caller. */
export const withoutGated = <Source extends Record<string, unknown>>(
  { gatedFields }: Pick<Resource, 'gatedFields'>,
  { seen_as, is_ungated }: Pick<SeenRow, 'seen_as' | 'is_ungated'>,
  source: Source,
): Source =>
  seen_as === 'public' && is_ungated === false ? { ...source, ...Object.fromEntries(gatedFields.map((field) => [field, null])) } : source

function sourceOf(resource: Resource, row: SeenRow, context: Presentation): Record<string, unknown> {
  const source: Record<string, unknown> = { ...row, object: resource.object }
  for (const { field, of, isSelected } of resource.derivations) {
    if (!resource.onDemand.includes(field)) source[field] = of((isSelected ? row[field] : row) as never, context)
  }
  return source
}

/** Fields that the caller asked for by name, as far as their view shows them. */
export function presentOnDemand(
  resource: Resource,
  row: SeenRow,
  context: Presentation,
  asked: readonly string[],
): Record<string, unknown> {
  const shown = asked.filter((field) => isShownIn(row.seen_as, resource.schema.shape[field] as z.ZodType))
  return Object.fromEntries(
    shown.map((field) => {
      const derived = resource.derivations.find((one) => one.field === field)
      const value = derived ? derived.of((derived.isSelected ? row[field] : row) as never, context) : row[field]
      return [field, pickerOf(resource.schema.shape[field] as z.ZodType, row.seen_as)(value)]
    }),
  )
}
