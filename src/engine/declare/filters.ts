import { z } from 'zod'
import type { Viewer } from '../../base/caller.ts'
import { fromPublicId } from '../../base/ids.ts'
import { normalizedSlug } from '../../base/text/slugText.ts'
import { beginsWith } from '../../database/statements/expressions.ts'
import type { AnyRows, Condition, Rows, TableName } from './expressions.ts'
import { timeValue } from './times.ts'
import { typedCode } from './typedTexts.ts'
import { unwrapped, viewOf, withExampleOf } from './views.ts'

/** The comparison of a filter. `equals` also accepts a list of alternatives. The other operators are written `name[gte]`. */
export type FilterOperator = 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'prefix'

/** A filter with a custom condition. Ids are passed to the condition in their stored form. */
export interface CustomFilter<Table extends TableName> {
  name: string
  description: string
  operator?: FilterOperator
  value: z.ZodString | z.ZodNumber | z.ZodEnum | z.ZodBoolean
  view?: 'staff'
  where(rows: Rows<Table>, values: readonly never[], caller: Viewer): Condition
}

export interface AnyFilter extends Omit<CustomFilter<never>, 'where'> {
  where(rows: AnyRows, values: readonly unknown[], caller: Viewer): Condition
}

export interface Filter {
  name: string
  operators: readonly FilterOperator[]
  description: string
  value: z.ZodType
  /** True if only staff see the field, and so only they may filter by it. */
  isStaffOnly: boolean
  /** True if `where` uses the values as they are, so that its text does not depend on them. */
  isShared: boolean
  idPrefix?: string | undefined
  /** Converts a value to its stored form: an id to its UUID. */
  stored(value: unknown): unknown
  /** `values` are in their stored form. */
  where(rows: AnyRows, operator: FilterOperator, values: readonly unknown[], caller: Viewer): Condition
}

interface FieldFilter {
  column?: string | undefined
  operator?: 'exists' | 'prefix' | undefined
}

const ranges = ['gt', 'gte', 'lt', 'lte'] as const
const symbols = { equals: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * Returns the filter for a field's schema: ranges for times, ranges and equality for numbers, equality for the rest.
 * Its column has the name of the field by default. `operator` selects another comparison of the same field.
 */
export function filterOf(name: string, field: z.ZodType, { column = name, operator }: FieldFilter = {}): Filter {
  const value = unwrapped(field)
  const about = { name, description: field.description ?? name, isStaffOnly: viewOf(field) !== 'public', isShared: true }
  if (operator === 'exists') {
    return {
      ...about,
      operators: ['exists'],
      value: z.boolean(),
      stored: itself,
      where: (rows, _operator, [exists]) => rows(column, exists ? 'is not' : 'is', null),
    }
  }
  if (operator === 'prefix') {
    return {
      ...about,
      operators: ['prefix'],
      value: typedPrefix(name, value)
        .min(1)
        .max(100)
        .meta({ example: String(field.meta()?.example ?? 'a').slice(0, 3) }),
      stored: itself,
      where: (rows, _operator, [text]) => beginsWith(rows.ref(column), String(text)),
    }
  }
  const isTime = value instanceof z.ZodISODateTime
  const isNumber = value instanceof z.ZodNumber
  if (!isTime && !isNumber && !(isText(value) || value instanceof z.ZodEnum || value instanceof z.ZodBoolean)) {
    throw new Error(`the field ${name} is not a plain value: declare a custom filter for it`)
  }
  const prefix = field.meta()?.idPrefix ?? value.meta()?.idPrefix
  return {
    ...about,
    idPrefix: prefix,
    stored: storedForm(prefix),
    operators: isTime ? ranges : isNumber ? ['equals', ...ranges] : ['equals'],
    // Numbers are compared with four-byte columns.
    value: isTime ? timeValue : isNumber ? z.int32() : withExampleOf(value, field),
    where: (rows, asked, values) => (values.length > 1 ? rows(column, 'in', values) : rows(column, symbolOf(asked), values[0])),
  }
}

/** E-mail addresses, slugs and codes are stored in one form. */
function typedPrefix(name: string, value: z.ZodType): z.ZodString {
  if (name === 'code') return typedCode()
  if (name === 'slug') return z.string().overwrite(normalizedSlug)
  return value instanceof z.ZodString && value.format === 'email' ? z.string().trim().toLowerCase() : z.string()
}

const itself = (value: unknown): unknown => value

const storedForm = (prefix: string | undefined): ((value: unknown) => unknown) =>
  prefix === undefined ? itself : (value) => fromPublicId(prefix, String(value))

const symbolOf = (operator: FilterOperator) => (operator === 'exists' || operator === 'prefix' ? '=' : symbols[operator])

const isText = (value: z.ZodType): boolean => value instanceof z.ZodString || value instanceof z.ZodStringFormat

export function customFilter({ name, description, operator = 'equals', value, view, where }: AnyFilter): Filter {
  const idPrefix = value.meta()?.idPrefix
  return {
    name,
    operators: [operator],
    description,
    value,
    isStaffOnly: view === 'staff',
    // A custom condition may compute with a text or a number.
    isShared: idPrefix !== undefined,
    idPrefix,
    stored: storedForm(idPrefix),
    where: (rows, _operator, values, caller) => where(rows, values, caller),
  }
}

/** Returns the name of the parameter: `status`, `created_at[gte]`. */
export const parameterName = (name: string, operator: FilterOperator): string => (operator === 'equals' ? name : `${name}[${operator}]`)
