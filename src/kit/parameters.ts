import { z } from 'zod'
import { audienceOf, type Caller } from '../policy/caller.ts'
import { type Filter, type FilterOperator, parameterName } from './filters.ts'
import type { Resource } from './resource.ts'

/** One input of an operation, as it is read and as the documents describe it. */
export interface Parameter {
  name: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  /** What the value is once the text has been read. A list in a query is separated by commas. */
  schema: z.ZodType
  isStaffOnly: boolean
  /** Set where the parameter is a filter. */
  filter?: { filter: Filter; operator: FilterOperator }
}

const maxListValues = 50

/** The path parameter of one row: an id, or a slug where the resource has them. */
export function rowParameters({ isSingleton, hasSlug, idPrefix, object }: Resource): Parameter[] {
  if (isSingleton) return []
  const id = `${idPrefix}_ and 26 characters`
  return [
    {
      name: hasSlug ? 'id_or_slug' : 'id',
      in: 'path',
      isRequired: true,
      description: hasSlug ? `Id (${id}) or slug of the ${object}.` : `Id of the ${object} (${id}).`,
      schema: z.string().min(1).max(120),
      isStaffOnly: false,
    },
  ]
}

/** Filters, order and page of a list. */
export function listParameters({ filters, sorts, defaultSorts }: Resource): Parameter[] {
  const names = sorts.map((sort) => sort.name) as [string, ...string[]]
  const order =
    defaultSorts &&
    (defaultSorts.everyone === defaultSorts.staff
      ? defaultSorts.everyone.name
      : `${defaultSorts.everyone.name}; for staff ${defaultSorts.staff.name}`)
  return [
    ...filters.flatMap((filter) => filter.operators.map((operator) => filterParameter(filter, operator))),
    query('sort', `Order of the list; - turns it round. Without it: ${order}.`, z.enum(names)),
    query('limit', 'Rows per page.', z.int().min(1).max(100).default(20)),
    query('cursor', 'Where the page begins: next_cursor of the page before it. Send it with the same filters and sort.', z.string().min(1)),
  ]
}

/** The parameters that this caller may send. To others a staff parameter does not exist. */
export function offeredParameters(parameters: readonly Parameter[], caller: Caller): readonly Parameter[] {
  return audienceOf(caller) === 'staff' ? parameters : parameters.filter(({ isStaffOnly }) => !isStaffOnly)
}

function filterParameter(filter: Filter, operator: FilterOperator): Parameter {
  const isList = operator === 'equals' && !(filter.value instanceof z.ZodBoolean)
  const schema = isList ? z.array(filter.value).min(1).max(maxListValues) : filter.value
  return {
    ...query(parameterName(filter.name, operator), filterDescription(filter, operator), schema),
    isStaffOnly: filter.isStaffOnly,
    filter: { filter, operator },
  }
}

const operatorWords = {
  equals: 'Only rows with one of these values',
  gt: 'More than',
  gte: 'At least',
  lt: 'Less than',
  lte: 'At most',
} as const

const filterDescription = ({ description }: Filter, operator: FilterOperator): string => `${operatorWords[operator]}: ${description}`

const query = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  isRequired: false,
  description,
  schema,
  isStaffOnly: false,
})
