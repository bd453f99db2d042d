import { z } from 'zod'
import { fromPublicId } from '../../lib/ids.ts'
import type { Caller } from '../../policy/caller.ts'
import { beginsWith } from '../../store/expressions.ts'
import type { AnyRows, Condition, Rows, TableName } from './expressions.ts'
import { unwrapped } from './schemas.ts'
import { timeValue } from './times.ts'
import { viewOf } from './views.ts'

/** `equals` takes a list as well: any of them. The others are written `name[gte]`. */
export type FilterOperator = 'equals' | 'gt' | 'gte' | 'lt' | 'lte' | 'exists' | 'prefix'

/** A filter that is more than one column. Ids reach its condition as they are stored. */
export interface CustomFilter<Table extends TableName> {
  name: string
  description: string
  operator?: FilterOperator
  value: z.ZodString | z.ZodNumber | z.ZodEnum | z.ZodBoolean
  /** The question is for the school's staff alone. */
  view?: 'staff'
  where(rows: Rows<Table>, values: readonly never[], caller: Caller): Condition
}

/** The same without the knowledge of the table. */
export interface AnyFilter extends Omit<CustomFilter<never>, 'where'> {
  where(rows: AnyRows, values: readonly unknown[], caller: Caller): Condition
}

/** One filter of a list, ready to be read from a request and put into a query. */
export interface Filter {
  name: string
  operators: readonly FilterOperator[]
  description: string
  value: z.ZodType
  /** The field is not for everyone, so neither is a question about it. */
  isStaffOnly: boolean
  where(rows: AnyRows, operator: FilterOperator, values: readonly unknown[], caller: Caller): Condition
}

interface FieldFilter {
  column?: string | undefined
  operator?: 'exists' | 'prefix' | undefined
}

const ranges = ['gt', 'gte', 'lt', 'lte'] as const
const symbols = { equals: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const

/**
 * The filter that follows from a field's schema: ranges on times, ranges and equality on numbers, equality on the rest.
 * Its column is named like the field where nothing else is said. `operator` asks for another kind of question about the same field.
 */
export function filterOf(name: string, field: z.ZodType, { column = name, operator }: FieldFilter = {}): Filter {
  const value = unwrapped(field)
  const about = { name, description: field.description ?? name, isStaffOnly: viewOf(field) !== 'public' }
  if (operator === 'exists') {
    return {
      ...about,
      operators: ['exists'],
      value: z.boolean(),
      where: (rows, _operator, [exists]) => rows(column, exists ? 'is not' : 'is', null),
    }
  }
  if (operator === 'prefix') {
    return {
      ...about,
      operators: ['prefix'],
      // Addresses are stored in lower case.
      value: (value instanceof z.ZodString && value.format === 'email' ? z.string().trim().toLowerCase() : z.string()).min(1).max(100),
      where: (rows, _operator, [text]) => beginsWith(rows.ref(column), String(text)),
    }
  }
  const isTime = value instanceof z.ZodISODateTime
  const isNumber = value instanceof z.ZodNumber
  if (!isTime && !isNumber && !(isText(value) || value instanceof z.ZodEnum || value instanceof z.ZodBoolean)) {
    throw new Error(`the field ${name} is no plain value: filter by it with a filter of its own`)
  }
  const prefix = field.meta()?.idPrefix ?? value.meta()?.idPrefix
  const stored = (one: unknown): unknown => (prefix === undefined ? one : fromPublicId(prefix, String(one)))
  return {
    ...about,
    operators: isTime ? ranges : isNumber ? ['equals', ...ranges] : ['equals'],
    // A number is compared with a four-byte column.
    value: isTime ? timeValue : isNumber ? z.int32() : value,
    where: (rows, asked, values) =>
      values.length > 1 ? rows(column, 'in', values.map(stored)) : rows(column, symbolOf(asked), stored(values[0])),
  }
}

const symbolOf = (operator: FilterOperator) => (operator === 'exists' || operator === 'prefix' ? '=' : symbols[operator])

const isText = (value: z.ZodType): boolean => value instanceof z.ZodString || value instanceof z.ZodStringFormat

/** Returns the filter that a declaration defines itself in the form of the others. */
export function customFilter({ name, description, operator = 'equals', value, view, where }: AnyFilter): Filter {
  const prefix = value.meta()?.idPrefix
  const stored = (text: unknown): unknown => (prefix === undefined ? text : fromPublicId(prefix, String(text)))
  return {
    name,
    operators: [operator],
    description,
    value,
    isStaffOnly: view === 'staff',
    where: (rows, _operator, values, caller) => where(rows, values.map(stored), caller),
  }
}

/** The parameter's name: `status`, `created_at[gte]`. */
export const parameterName = (name: string, operator: FilterOperator): string => (operator === 'equals' ? name : `${name}[${operator}]`)
