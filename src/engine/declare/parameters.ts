import { z } from 'zod'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { exampleId } from '../../base/ids.ts'
import { commonTimes } from './commonFields.ts'
import { type Filter, type FilterOperator, parameterName } from './filters.ts'
import { pascalCase } from './operationNames.ts'
import type { Resource } from './resource.ts'
import { isSearchable } from './searchable.ts'
import { isOptional, membersOf, viewOf, withExampleOf } from './views.ts'

/** A parameter of an operation: how it is parsed and how the documents describe it. */
export interface Parameter {
  name: string
  in: 'path' | 'query'
  isRequired: boolean
  description: string
  /** The schema of the parsed value. Lists in a query are separated by commas. */
  schema: z.ZodType
  isStaffOnly: boolean
  /** The name under which the OpenAPI document shares it between operations. */
  component?: string | undefined
  filter?: { filter: Filter; operator: FilterOperator }
  /** The resource whose rows it names by id, if they have another key too, which it also takes. */
  target?: Resource
}

export const maxFilterValues = 50
const maxExpansions = 5
const maxRows = 100
const maxExportRows = 10_000

/** The path parameter that identifies a row: its id only, or an alternative as well. */
export type KeyName = 'id' | 'id_or_slug' | 'id_or_me' | 'id_or_number'

/** Returns the key that identifies a row: every operation on the row accepts it. */
export const widestKey = ({ hasSlug, me, numberForm }: Resource): KeyName =>
  me ? 'id_or_me' : numberForm ? 'id_or_number' : hasSlug ? 'id_or_slug' : 'id'

/** Returns the key that a parameter named `id` accepts: a slug or number as well. Only a parameter named `id_or_me` accepts me. */
export const acceptedKey = (resource: Resource): KeyName => {
  const widest = widestKey(resource)
  return widest === 'id_or_me' ? 'id' : widest
}

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
    schema: z
      .string()
      .min(1)
      .max(200)
      .meta({ example: exampleId(idPrefix) }),
    isStaffOnly: false,
    component: accepts === name ? pascalCase(`${object}_${name}`) : undefined,
  }
  return [...(isSingleton ? [] : [key]), ...(isReading ? [...declaredParameters(resource.reading), ...shapeParameters(resource)] : [])]
}

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
    ...pageParameters('Start of the page: next_cursor or prev_cursor from another page. Send the same filters and sort with it.').map(
      (one) => ({ ...one, component: pascalCase(one.name) }),
    ),
    {
      component: 'Include',
      ...query('include', 'total_count adds the number of rows, exact up to 10,000.', z.array(z.enum(['total_count'])).min(1)),
      isStaffOnly: true,
    },
    ...(resource.isExported ? [{ ...csvParameter(), isStaffOnly: true }] : []),
    ...declaredParameters(resource.reading),
    ...shapeParameters(resource),
  ]
}

/** Returns the parameter that asks for a CSV file in another dialect. */
export const csvParameter = (): Parameter => ({
  ...query(
    'csv',
    'excel responds with a CSV file that Excel opens by a double click: a byte order mark, and semicolons where the locale of the school writes decimals with a comma. Columns of answers are headed by their questions instead of the keys. In every CSV file, a text that a spreadsheet would run as a formula has an apostrophe in front.',
    z.enum(['excel']),
  ),
  component: 'Csv',
})

export const pageParameters = (aboutCursor = 'Start of the page: next_cursor or prev_cursor from another page.'): Parameter[] => [
  query('limit', 'Rows per page.', z.int().min(1).max(maxRows).default(20)),
  query('cursor', aboutCursor, z.string().min(1)),
]

/** Returns the parameter `q`. If only staff can search, other callers do not have it. */
function searchParameter(resource: Resource): Parameter {
  const { search } = resource
  const isStaffOnly = search.every(({ isForStaff }) => isForStaff)
  const columns = search.filter(({ isForStaff }) => isStaffOnly || !isForStaff).map(({ column }) => column)
  const words = isSearchable(resource) ? ', or words in any order in the title, tags, description and similar public texts' : ''
  const about = `Search text in ${columns.join(', ')}${words}. ${aboutSearchText} At most the newest 2,000 matching rows are listed.`
  return { ...query('q', about, searchText), isStaffOnly }
}

/** In Chinese, Japanese and Korean, one character can be a word. */
const searchable = /^(?:[\s\S]{2,}|[々〆〇ぁ-ヿ㐀-䶿一-鿿가-힣])$/

export const aboutSearchText = 'At least two characters, or one Chinese, Japanese or Korean character.'

export const searchText = z
  .string()
  .min(1)
  .max(100)
  .check(({ value: input, issues }) => {
    if (input.length === 1 && !searchable.test(input))
      issues.push({ code: 'too_small', origin: 'string', minimum: 2, inclusive: true, input })
  })
  .meta({ example: 'clay', pattern: searchable.source })

/** Returns the parameters that a declaration defines: path parameters if the path names them, otherwise query parameters. */
export function declaredParameters(declared: z.ZodObject | undefined, path = ''): Parameter[] {
  return (declared ? Object.entries(membersOf(declared)) : []).map(([name, schema]) => {
    const isInPath = path.includes(`{${name}}`)
    return {
      name,
      in: isInPath ? 'path' : 'query',
      isRequired: isInPath || !schema.safeParse(undefined).success,
      description: schema.description ?? name,
      schema: isOptional(schema) ? withExampleOf(schema.unwrap(), schema) : schema,
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

export const fieldsParameter = (): Parameter => ({
  ...query(
    'fields',
    'Fields of the response; all others are omitted. Use a dot for nested fields, also of lists and expanded rows: price.amount.',
    z
      .array(z.string().min(1).max(100).meta({ example: 'id' }))
      .min(1)
      .max(50),
  ),
  component: 'Fields',
})

function shapeParameters({ expansions, onDemand }: Resource): Parameter[] {
  const names = [...Object.keys(expansions), ...onDemand]
  return [
    fieldsParameter(),
    ...(names.length > 0
      ? [
          query(
            'expand',
            `Objects and fields to include in the response: ${names.join(', ')}. Rows of another resource need its read scope. a.b expands b in a.`,
            z
              .array(
                z
                  .string()
                  .regex(/^[a-z_]+(\.[a-z_]+)?$/, 'must have at most two levels: a or a.b')
                  .meta({ example: names[0] }),
              )
              .min(1)
              .max(maxExpansions),
          ),
        ]
      : []),
  ]
}

function filterParameter(filter: Filter, operator: FilterOperator): Parameter {
  const isList = operator === 'equals' && !(filter.value instanceof z.ZodBoolean)
  const schema = isList ? z.array(filter.value).min(1).max(maxFilterValues) : filter.value
  return {
    ...query(parameterName(filter.name, operator), filterDescription(filter, operator), schema),
    isStaffOnly: filter.isStaffOnly,
    component: commonTimes.includes(filter.name) ? pascalCase(`${filter.name}_${operator}`) : undefined,
    filter: { filter, operator },
  }
}

export const query = (name: string, description: string, schema: z.ZodType): Parameter => ({
  name,
  in: 'query',
  isRequired: false,
  description,
  schema,
  isStaffOnly: false,
})

export const filterDescription = ({ name, description, value }: Filter, operator: FilterOperator): string =>
  `${comparison(name, operator, value)}. ${sentence(description)}`

function comparison(name: string, operator: FilterOperator, value: z.ZodType): string {
  switch (operator) {
    case 'equals':
      return `Filter by ${name}${value instanceof z.ZodBoolean ? '' : ': any of these values'}`
    case 'exists':
      return `Rows with a value in ${name} (true) or without one (false)`
    case 'prefix':
      return `Rows whose ${name} begins with this text`
    default:
      return `Rows with ${name} ${(value instanceof z.ZodNumber ? numberWords : timeWords)[operator]}`
  }
}

const timeWords = { gt: 'after this time', gte: 'at this time or later', lt: 'before this time', lte: 'at this time or earlier' } as const
const numberWords = { gt: 'greater than this', gte: 'of at least this', lt: 'less than this', lte: 'of at most this' } as const

/** Returns the text as a sentence. Declarations describe fields in sentences, and custom filters in phrases. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`
