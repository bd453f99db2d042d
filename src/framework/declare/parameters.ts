import { z } from 'zod'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { filterDescription } from './filterDescription.ts'
import { type Filter, type FilterOperator, parameterName } from './filters.ts'
import type { Resource } from './resource.ts'
import { isOptional, membersOf } from './schemas.ts'
import { isSearchable } from './searchable.ts'
import { viewOf } from './views.ts'

/** A parameter of an operation: how it is parsed and how the documents describe it. */
export interface Parameter {
  name: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  /** The schema of the parsed value. Lists in a query are separated by commas. */
  schema: z.ZodType
  isStaffOnly: boolean
  /** Set if the parameter is a filter. */
  filter?: { filter: Filter; operator: FilterOperator }
}

const maxListValues = 50
const maxExpansions = 5
const maxRows = 100
const maxExportRows = 10_000

/** The path parameter that identifies a row: its id only, or an alternative as well. */
export type KeyName = 'id' | 'id_or_slug' | 'id_or_me' | 'id_or_number'

/** Returns the key that identifies a row, or the row above a list, when it is read, changed or deleted. Actions accept only the id. */
export const widestKey = ({ hasSlug, me, numberForm }: Resource): KeyName =>
  me ? 'id_or_me' : numberForm ? 'id_or_number' : hasSlug ? 'id_or_slug' : 'id'

/** Returns the key that a read accepts whose path calls its parameter `id`. Only a parameter named `id_or_me` accepts me. */
export const readKey = (resource: Resource): KeyName => {
  const widest = widestKey(resource)
  return widest === 'id_or_me' ? 'id' : widest
}

/** Returns the key parameter of one row and, for reads of the row, the parameters that select its fields. */
export function rowParameters(
  resource: Resource,
  isReading: boolean,
  { name = isReading ? widestKey(resource) : 'id', accepts = name }: { name?: KeyName; accepts?: KeyName } = {},
): Parameter[] {
  const { isSingleton, idPrefix, object } = resource
  const id = `${idPrefix}_ and 26 characters`
  const noun = object.replaceAll('_', ' ')
  const descriptions = {
    id: `Id of the ${noun} (${id}).`,
    id_or_slug: `Id (${id}) or slug of the ${noun}.`,
    id_or_me: `Id of the ${noun} (${id}), or me for your own.`,
    id_or_number: `Id (${id}) or number of the ${noun}.`,
  }
  const key: Parameter = {
    name,
    in: 'path',
    isRequired: true,
    description: descriptions[accepts],
    schema: z.string().min(1).max(200),
    isStaffOnly: false,
  }
  return [...(isSingleton ? [] : [key]), ...(isReading ? [...declaredParameters(resource.reading), ...shapeParameters(resource)] : [])]
}

/** Returns the parameters for the filters, sort and page of a list. */
export function listParameters(resource: Resource): Parameter[] {
  const { filters, sorts, defaultSorts, search } = resource
  const names = sorts.map((sort) => sort.name)
  const order =
    defaultSorts &&
    (defaultSorts.everyone === defaultSorts.staff
      ? defaultSorts.everyone.name
      : `${defaultSorts.everyone.name}; for staff ${defaultSorts.staff.name}`)
  return [
    ...filters.flatMap((filter) => filter.operators.map((operator) => filterParameter(filter, operator))),
    ...(search.length > 0 ? [searchParameter(resource)] : []),
    query('sort', `Sort order of the list; - means descending. Default: ${order}.`, z.enum(names)),
    query('limit', 'Rows per page.', z.int().min(1).max(maxRows).default(20)),
    query(
      'cursor',
      'Start of the page: next_cursor or prev_cursor from another page. Send the same filters and sort with it.',
      z.string().min(1),
    ),
    {
      ...query('include', 'total_count adds the number of rows, exact up to 10,000.', z.array(z.enum(['total_count'])).min(1)),
      isStaffOnly: true,
    },
    ...declaredParameters(resource.reading),
    ...shapeParameters(resource),
  ]
}

/** Returns the parameter `q`. If only staff can search, other callers do not have it. */
function searchParameter(resource: Resource): Parameter {
  const { search } = resource
  const isStaffOnly = search.every(({ isForStaff }) => isForStaff)
  const columns = search.filter(({ isForStaff }) => isStaffOnly || !isForStaff).map(({ column }) => column)
  const words = isSearchable(resource) ? ', or words in any order in the title, tags, description and similar public texts' : ''
  const about = `Search text in ${columns.join(', ')}${words}. At most the newest 2,000 matching rows are listed.`
  return { ...query('q', about, z.string().min(2).max(100)), isStaffOnly }
}

/** Returns the parameters that a declaration defines: path parameters if the path names them, otherwise query parameters. */
export function declaredParameters(declared: z.ZodObject | undefined, path = ''): Parameter[] {
  return (declared ? Object.entries(membersOf(declared)) : []).map(([name, schema]) => {
    const isInPath = path.includes(`{${name}}`)
    return {
      name,
      in: isInPath ? 'path' : 'query',
      isRequired: isInPath || !schema.safeParse(undefined).success,
      description: schema.description ?? name,
      schema: isOptional(schema) ? schema.unwrap() : schema,
      isStaffOnly: viewOf(schema) !== 'public',
    }
  })
}

/** Returns the parameters of an exported list: a higher limit, and whole rows only. */
export const exportParameters = (parameters: readonly Parameter[]): Parameter[] => longer(parameters, maxExportRows, ['include', 'expand'])

/** Returns the parameters of a list or row in another format: the format determines the fields. */
export const representationParameters = (parameters: readonly Parameter[], maxRows: number): Parameter[] =>
  longer(parameters, maxRows, ['include', 'expand', 'fields'])

const longer = (parameters: readonly Parameter[], rows: number, without: readonly string[]): Parameter[] =>
  parameters
    .filter(({ name }) => !without.includes(name))
    .map((parameter) => (parameter.name === 'limit' ? query('limit', 'Rows.', z.int().min(1).max(rows).default(rows)) : parameter))

/** Returns the parameters that this caller may send. Staff parameters do not exist for other callers. */
export function offeredParameters(parameters: readonly Parameter[], caller: Caller): readonly Parameter[] {
  return audienceOf(caller) === 'staff' ? parameters : parameters.filter(({ isStaffOnly }) => !isStaffOnly)
}

function shapeParameters({ expansions, onDemand }: Resource): Parameter[] {
  const names = [...Object.keys(expansions), ...onDemand]
  return [
    query(
      'fields',
      'Fields of the response; all others are omitted. Use a dot for nested fields: price.amount.',
      z.array(z.string().min(1).max(100)).min(1).max(50),
    ),
    ...(names.length > 0
      ? [
          query(
            'expand',
            `Objects and fields to include in the response: ${names.join(', ')}. Rows of another resource need its read scope. a.b expands b in a.`,
            z
              .array(z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/, 'must have at most two levels: a or a.b'))
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

/** Returns an optional query parameter. */
export const query = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  isRequired: false,
  description,
  schema,
  isStaffOnly: false,
})
