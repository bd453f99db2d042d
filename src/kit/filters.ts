import { z } from 'zod'
import { fromPublicId } from '../lib/ids.ts'
import type { Caller } from '../policy/caller.ts'
import type { AnyRows, Condition, Rows, TableName } from './expressions.ts'
import { viewOf } from './views.ts'

/** `equals` takes a list as well: any of them. The others are written `name[gte]`. */
export type FilterOperator = 'equals' | 'gt' | 'gte' | 'lt' | 'lte'

/** A filter that is more than one column. Ids reach its condition as they are stored. */
export interface CustomFilter<Table extends TableName> {
  name: string
  description: string
  operator?: FilterOperator
  value: z.ZodString | z.ZodNumber
  where(rows: Rows<Table>, values: readonly never[], caller: Caller): Condition
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

const ranges = ['gt', 'gte', 'lt', 'lte'] as const
const symbols = { equals: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const satisfies Record<FilterOperator, string>

/** The filter that follows from a field's schema: ranges on times, equality on the rest. Its column is named like the field. */
export function filterOf(name: string, field: z.ZodType): Filter {
  const value = unwrapped(field)
  const isTime = value instanceof z.ZodISODateTime
  if (
    !isTime &&
    !(value instanceof z.ZodEnum || value instanceof z.ZodString || value instanceof z.ZodBoolean || value instanceof z.ZodNumber)
  ) {
    throw new Error(`the field ${name} is no plain value: filter by it with a filter of its own`)
  }
  return {
    name,
    operators: isTime ? ranges : ['equals'],
    description: field.description ?? name,
    // A number is compared with a four-byte column.
    value: isTime ? timeValue : value instanceof z.ZodNumber ? z.int32() : value,
    isStaffOnly: viewOf(field) !== 'public',
    where: (rows, operator, values) => (values.length > 1 ? rows(name, 'in', values) : rows(name, symbols[operator], values[0])),
  }
}

/** The kit's form of a filter that a declaration brings along. */
export function customFilter<Table extends TableName>({
  name,
  description,
  operator = 'equals',
  value,
  where,
}: CustomFilter<Table>): Filter {
  const prefix = value.meta()?.idPrefix
  const stored = (text: unknown): unknown => (prefix === undefined ? text : fromPublicId(prefix, text as string))
  return {
    name,
    operators: [operator],
    description,
    value,
    isStaffOnly: false,
    where: (rows, _operator, values, caller) => where(rows as unknown as Rows<Table>, values.map(stored) as never, caller),
  }
}

/** The parameter's name: `status`, `created_at[gte]`. */
export const parameterName = (name: string, operator: FilterOperator): string => (operator === 'equals' ? name : `${name}[${operator}]`)

// Every database holds these years, and no client needs others.
const timeValue = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-03-01T09:30:00Z' })
  .refine((text) => /^(19|2\d)\d\d/.test(text), 'must lie between the years 1900 and 2999')

function unwrapped(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodNullable || field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? unwrapped(field.unwrap() as z.ZodType)
    : field
}
