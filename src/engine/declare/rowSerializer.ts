import type { z } from 'zod'
import type { Caller } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import { type MemberOf, objectBuilder } from '../../base/text/objectBuilder.ts'
import type { ExternalServices } from '../externalServices.ts'
import type { ParameterValues, SeenRow } from './expressions.ts'
import { isOnDemand, isShownIn, membersOf, pickerOf, type View } from './views.ts'

export type RowSerializer = (row: SeenRow, context: Presentation) => Record<string, unknown>

/** A member of the response for a row: its name, and the function that returns its value. */
export type RowMember = MemberOf<SeenRow, Presentation>

/** How a field without a column is computed: from the row, or from the value that the query selects for it. */
export interface Derivation {
  field: string
  of(source: unknown, context: Presentation): unknown
  isSelected: boolean
  /** The columns from which it is computed, if the query selects nothing else for it. */
  from: readonly string[]
}

/**
 * Returns the serializer of a view. What depends on the declaration is computed once, for the first row. With `hidesGated`, gated fields are
 * null in rows that are not ungated for the caller.
 */
export function rowSerializer(declared: SerializedFields, view: View, { hidesGated }: { hidesGated: boolean }): RowSerializer {
  let built: RowSerializer | undefined
  return (row, context) => {
    built ??= objectBuilder(rowMembers(declared, view, hidesGated))
    return built(row, context)
  }
}

interface SerializedFields {
  schema: z.ZodObject
  object: string
  derivations: readonly Derivation[]
}

/** Returns the members of the rows of a view, in the order of the schema. */
export function rowMembers({ schema, object, derivations }: SerializedFields, view: View, hidesGated: boolean): RowMember[] {
  return Object.entries(membersOf(schema))
    .filter(([, field]) => isShownIn(view, field) && !isOnDemand(field))
    .map(([name, field]): RowMember => {
      const pick = pickerOf(field, view)
      const read = readerOf(name, object, derivations)
      const isGated = hidesGated && field.meta()?.gated === true
      return [
        name,
        isGated ? (row, context) => pick(isClosed(row) ? null : read(row, context)) : (row, context) => pick(read(row, context)),
      ]
    })
}

type FieldOf = (row: SeenRow, context: Presentation) => unknown

function readerOf(name: string, object: string, derivations: readonly Derivation[]): FieldOf {
  if (name === 'object') return () => object
  const derivation = derivations.find((one) => one.field === name)
  if (!derivation) return (row) => row[name]
  const { of, isSelected } = derivation
  return isSelected ? (row, context) => of(selectedOf(row, name), context) : of
}

/** True for a row whose gated fields the caller does not see. */
export const isClosed = (row: SeenRow): boolean => row.seen_as === 'public' && row.is_ungated === false

/** Returns the value that the query selects for a field. It is absent if the field is null for the caller in every row. */
export const selectedOf = (row: SeenRow, field: string): unknown => row[field] ?? null

export interface Presentation {
  school: School
  caller: Caller
  externalServices: ExternalServices
  parameters: ParameterValues
}
