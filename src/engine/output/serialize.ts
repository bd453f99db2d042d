import type { SeenRow } from '../declare/expressions.ts'
import type { Presentation } from '../declare/presentation.ts'
import type { Resource } from '../declare/resource.ts'
import { selectedOf } from '../declare/rowSerializer.ts'
import { membersOf } from '../declare/schemas.ts'
import { isShownIn, pickerOf } from '../declare/views.ts'
import { rowEtag } from './etag.ts'

export const serialize = (resource: Resource, row: SeenRow, context: Presentation): Record<string, unknown> =>
  resource.serializers[row.seen_as](row, context)

/** Returns the whole row in the form of the API, independent of the caller. Changes are applied to it. */
export const serializeWhole = (resource: Resource, row: SeenRow, context: Presentation): Record<string, unknown> =>
  resource.serializeWhole(row, context)

/** Returns a row for the response, with the ETag that a later change can send in `If-Match`. */
export function serializeTagged(
  resource: Resource,
  row: SeenRow,
  context: Presentation,
): { body: Record<string, unknown>; text: string; etag: string } {
  const body = serialize(resource, row, context)
  const text = JSON.stringify(body)
  return { body, text, etag: rowEtag(row.version, row.seen_as, text) }
}

/** Returns the values, without gated fields if the row is not ungated for the caller. */
export const hideGated = <Source extends Record<string, unknown>>(
  { gatedFields }: Pick<Resource, 'gatedFields'>,
  { seen_as, is_ungated }: Pick<SeenRow, 'seen_as' | 'is_ungated'>,
  source: Source,
): Source =>
  seen_as === 'public' && is_ungated === false ? { ...source, ...Object.fromEntries(gatedFields.map((field) => [field, null])) } : source

export function serializeOnDemand(
  resource: Resource,
  row: SeenRow,
  context: Presentation,
  requested: readonly string[],
): Record<string, unknown> {
  const members = membersOf(resource.schema)
  return Object.fromEntries(
    requested.flatMap((field) => {
      const schema = members[field]
      if (!schema || !isShownIn(row.seen_as, schema)) return []
      const derived = resource.derivations.find((one) => one.field === field)
      const value = derived ? derived.of(derived.isSelected ? selectedOf(row, field) : row, context) : row[field]
      return [[field, pickerOf(schema, row.seen_as)(value)]]
    }),
  )
}
