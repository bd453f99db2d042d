import type { z } from 'zod'
import type { SeenRow } from './expressions.ts'
import type { Presentation } from './presentation.ts'
import { membersOf } from './schemas.ts'
import { isOnDemand, isShownIn, type Picker, pickerOf, type View } from './views.ts'

/** Converts a row to the fields of the API. */
export type RowSerializer = (row: SeenRow, context: Presentation) => Record<string, unknown>

/** How a field without a column is computed: from the row, or from the value that the query selects for it. */
export interface Derivation {
  field: string
  of(source: unknown, context: Presentation): unknown
  isSelected: boolean
}

interface SerializedField {
  name: string
  pick: Picker
  /** Computes the value from the row or from the selected value. Absent: the row has the value. */
  of: ((source: unknown, context: Presentation) => unknown) | undefined
  isSelected: boolean
  isGated: boolean
}

/**
 * Returns the serializer of a view. What depends on the declaration is computed here, once. With `hidesGated`, gated fields are null in rows
 * that are not ungated for the caller.
 */
export function rowSerializer(
  { schema, object, derivations }: { schema: z.ZodObject; object: string; derivations: readonly Derivation[] },
  view: View,
  { hidesGated }: { hidesGated: boolean },
): RowSerializer {
  const fields = Object.entries(membersOf(schema))
    .filter(([, field]) => isShownIn(view, field) && !isOnDemand(field))
    .map(([name, field]): SerializedField => {
      const derivation = derivations.find((one) => one.field === name)
      return {
        name,
        pick: pickerOf(field, view),
        of: name === 'object' ? () => object : derivation?.of,
        isSelected: derivation?.isSelected ?? false,
        isGated: hidesGated && field.meta()?.gated === true,
      }
    })
  return (row, context) => {
    const isGatedRow = row.seen_as === 'public' && row.is_ungated === false
    const body: Record<string, unknown> = {}
    for (const { name, pick, of, isSelected, isGated } of fields) {
      const value = isSelected ? selectedOf(row, name) : row[name]
      body[name] = pick(isGated && isGatedRow ? null : of ? of(isSelected ? value : row, context) : value)
    }
    return body
  }
}

/** Returns the value that the query selects for a field. It is absent if the field is null for the caller in every row. */
export const selectedOf = (row: SeenRow, field: string): unknown => row[field] ?? null
