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
const maxExpansions = 5
const maxRows = 100
const maxExportRows = 10_000

/** The key of one row in a path, and what of it is answered where the operation only reads. */
export function rowParameters(resource: Resource, isReading: boolean): Parameter[] {
  const { isSingleton, hasSlug, idPrefix, object } = resource
  const id = `${idPrefix}_ and 26 characters`
  const takesSlug = hasSlug && isReading
  const key: Parameter = {
    name: takesSlug ? 'id_or_slug' : 'id',
    in: 'path',
    isRequired: true,
    description: takesSlug ? `Id (${id}) or slug of the ${object}.` : `Id of the ${object} (${id}).`,
    schema: z.string().min(1).max(120),
    isStaffOnly: false,
  }
  return [...(isSingleton ? [] : [key]), ...(isReading ? shapeParameters(resource) : [])]
}

/** Filters, order and page of a list. */
export function listParameters(resource: Resource): Parameter[] {
  const { filters, sorts, defaultSorts, search } = resource
  const names = sorts.map((sort) => sort.name) as [string, ...string[]]
  const order =
    defaultSorts &&
    (defaultSorts.everyone === defaultSorts.staff
      ? defaultSorts.everyone.name
      : `${defaultSorts.everyone.name}; for staff ${defaultSorts.staff.name}`)
  return [
    ...filters.flatMap((filter) => filter.operators.map((operator) => filterParameter(filter, operator))),
    ...(search.length > 0
      ? [query('q', `Text that occurs in ${search.join(', ')}; among the newest 2000 rows that have it.`, z.string().min(2).max(100))]
      : []),
    query('sort', `Order of the list; - turns it round. Without it: ${order}.`, z.enum(names)),
    query('limit', 'Rows per page.', z.int().min(1).max(maxRows).default(20)),
    query(
      'cursor',
      'Where the page begins: next_cursor or prev_cursor of another page. Send it with the same filters and sort.',
      z.string().min(1),
    ),
    {
      ...query('include', 'total_count: the number of rows, exact up to 10 000.', z.array(z.enum(['total_count'])).min(1)),
      isStaffOnly: true,
    },
    ...shapeParameters(resource),
  ]
}

/** The same for a list that leaves as a file: longer, whole rows only. */
export const exportParameters = (parameters: readonly Parameter[]): Parameter[] =>
  parameters
    .filter(({ name }) => !['include', 'expand'].includes(name))
    .map((parameter) =>
      parameter.name === 'limit' ? query('limit', 'Rows.', z.int().min(1).max(maxExportRows).default(maxExportRows)) : parameter,
    )

/** The parameters that this caller may send. To others a staff parameter does not exist. */
export function offeredParameters(parameters: readonly Parameter[], caller: Caller): readonly Parameter[] {
  return audienceOf(caller) === 'staff' ? parameters : parameters.filter(({ isStaffOnly }) => !isStaffOnly)
}

function shapeParameters({ expansions }: Resource): Parameter[] {
  const names = Object.keys(expansions)
  return [
    query(
      'fields',
      'Fields to answer, and no others; price.amount names one inside another.',
      z.array(z.string().min(1).max(100)).min(1).max(50),
    ),
    ...(names.length > 0
      ? [
          query(
            'expand',
            `Rows of other resources to put into the answer: ${names.join(', ')}; a.b goes one step further. Each needs the read scope of its resource.`,
            z
              .array(z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/, 'goes two steps at most: a or a.b'))
              .min(1)
              .max(maxExpansions),
          ),
        ]
      : []),
  ]
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
  exists: 'Whether there is one',
  prefix: 'Beginning with',
} as const

const filterDescription = ({ description }: Filter, operator: FilterOperator): string => `${operatorWords[operator]}: ${description}`

/** A parameter of a query that can be left out. */
export const query = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  isRequired: false,
  description,
  schema,
  isStaffOnly: false,
})
