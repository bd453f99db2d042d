import { hash } from 'node:crypto'
import type { SeenRow } from '../declare/expressions.ts'
import type { Resource } from '../declare/resource.ts'
import { type Presentation, selectedOf } from '../declare/rowSerializer.ts'
import { isShownIn, membersOf, pickerOf, type View } from '../declare/views.ts'

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

const viewLetters = { public: 'p', own: 'o', staff: 's' } as const satisfies Record<View, string>

const digest = (text: string): string => hash('sha256', text, 'hex').slice(0, 8)

/**
 * Returns the ETag of a row: `"17-s-9f2c01ab"` has the version, the view, and a hash of the body, because counters and the caller's own
 * state change a body without changing the version (RFC 9110 section 8.8.3).
 */
export const rowEtag = (version: number, view: View, text: string): string => `"${version}-${viewLetters[view]}-${digest(text)}"`

/** Returns the ETag of a list. It is weak, because a list is a view of many rows. */
export const listEtag = (text: string): string => `W/"${digest(text)}"`
