import { z } from 'zod'
import { audienceOf, type Caller } from '../../policy/caller.ts'
import { filterDescription } from './filterDescription.ts'
import { type Filter, type FilterOperator, parameterName } from './filters.ts'
import type { Resource } from './resource.ts'
import { isOptional, membersOf } from './schemas.ts'
import { viewOf } from './views.ts'

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
/** Of a tool's page. */
export const maxToolRows = 50

/** What names a row in a path: its id alone, or what else may stand in its place as well. */
export type KeyName = 'id' | 'id_or_slug' | 'id_or_me' | 'id_or_number'

/** The widest key that identifies a row where it is read, changed or deleted. Actions take the id alone. */
export const widestKey = ({ hasSlug, me, numberForm }: Resource): KeyName =>
  me ? 'id_or_me' : numberForm ? 'id_or_number' : hasSlug ? 'id_or_slug' : 'id'

/** The key of one row in a path, and what of it is answered where the row itself is read. */
export function rowParameters(resource: Resource, isReading: boolean, name: KeyName = isReading ? widestKey(resource) : 'id'): Parameter[] {
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
    description: descriptions[name],
    schema: z.string().min(1).max(200),
    isStaffOnly: false,
  }
  return [...(isSingleton ? [] : [key]), ...(isReading ? [...declaredParameters(resource.reading), ...shapeParameters(resource)] : [])]
}

/** Filters, order and page of a list. */
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
    ...(search.length > 0 ? [searchParameter(search)] : []),
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
    ...declaredParameters(resource.reading),
    ...shapeParameters(resource),
  ]
}

/** Where only staff may look, there is no such parameter for others. */
function searchParameter(search: Resource['search']): Parameter {
  const isStaffOnly = search.every(({ isForStaff }) => isForStaff)
  const columns = search.filter(({ isForStaff }) => isStaffOnly || !isForStaff).map(({ column }) => column)
  const about = `Text that occurs in ${columns.join(', ')}; among the newest 2000 rows that have it.`
  return { ...query('q', about, z.string().min(2).max(100)), isStaffOnly }
}

/** Parameters that a declaration names itself: members of the path by their name, the others of the query. */
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

/** The same for a list that leaves as a file: longer, whole rows only. */
export const exportParameters = (parameters: readonly Parameter[]): Parameter[] => longer(parameters, maxExportRows, ['include', 'expand'])

/** The same for a list, or a row, in a form of its own: that form says what of a row it holds. */
export const representationParameters = (parameters: readonly Parameter[], maxRows: number): Parameter[] =>
  longer(parameters, maxRows, ['include', 'expand', 'fields'])

const longer = (parameters: readonly Parameter[], rows: number, without: readonly string[]): Parameter[] =>
  parameters
    .filter(({ name }) => !without.includes(name))
    .map((parameter) => (parameter.name === 'limit' ? query('limit', 'Rows.', z.int().min(1).max(rows).default(rows)) : parameter))

/**
 * The same for a tool that visitors may call: shorter pages, and names that every model can write.
 * `created_at[gte]` becomes `created_at_gte`: several model vendors refuse a schema with brackets in a name.
 * @throws Error at start where two parameters would have one name
 */
export function toolParameters(parameters: readonly Parameter[]): Parameter[] {
  const renamed = parameters
    .filter(({ isStaffOnly }) => !isStaffOnly)
    .map((parameter) =>
      parameter.name === 'limit'
        ? query('limit', 'Rows per page.', z.int().min(1).max(maxToolRows).default(10))
        : { ...parameter, name: parameter.name.replace(/\[(\w+)\]$/, '_$1') },
    )
  const names = renamed.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`two parameters of a tool have one name: ${names.join(', ')}`)
  return renamed
}

/** The parameters that this caller may send. To others a staff parameter does not exist. */
export function offeredParameters(parameters: readonly Parameter[], caller: Caller): readonly Parameter[] {
  return audienceOf(caller) === 'staff' ? parameters : parameters.filter(({ isStaffOnly }) => !isStaffOnly)
}

function shapeParameters({ expansions, onDemand }: Resource): Parameter[] {
  const names = [...Object.keys(expansions), ...onDemand]
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
            `What to put into the answer beside its fields: ${names.join(', ')}. Rows of another resource need its read scope; a.b goes one step further.`,
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

/** A parameter of a query that can be left out. */
export const query = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  isRequired: false,
  description,
  schema,
  isStaffOnly: false,
})
