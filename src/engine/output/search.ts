import { z } from 'zod'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { shortened } from '../../base/text/sanitisedHtml.ts'
import { titleNames, titleOf } from '../../base/text/titleOf.ts'
import { limitStatements } from '../../database/connection/timeLimit.ts'
import type { ApiResponse, RunContext } from '../call.ts'
import { type NoMembers, parameterValues, type SeenRow } from '../declare/expressions.ts'
import { type AcrossTypes, apiPath, type Operation, type ReadType, requireTypes } from '../declare/operations.ts'
import { aboutSearchText, query, searchText } from '../declare/parameters.ts'
import type { Resource } from '../declare/resource.ts'
import type { Presentation } from '../declare/rowSerializer.ts'
import { parseParameters } from '../read/parseParameters.ts'
import { type FoundRow, findInTypes } from '../read/searchRows.ts'
import { explainViolation } from '../write/explainViolation.ts'
import { listEtag } from './serialize.ts'

interface SearchedType extends ReadType {
  path: string
}

export interface Search extends AcrossTypes {
  types: ReadonlyMap<string, SearchedType>
}

const maxTitle = 200

export function searchOf(operations: readonly Operation[]): Search {
  const types = new Map(operations.flatMap((list) => searchedType(list, operations)))
  return {
    id: 'listSearchResults',
    method: 'GET',
    path: `${apiPath}/search`,
    summary: 'Search all types',
    description:
      'Rows of every type that contain the text, for the staff of the school: up to `limit` of each type, in the order of its list. It has one page: if `has_more` is true, a type has more rows, and its own list with the same `q` returns them all. Each type needs the scope of its list; without `types`, the types of the token are searched.',
    tag: { name: 'search_results', description: 'One search of all types of rows, for the staff of the school.' },
    listed: 'SearchResult',
    errors: ['query_too_expensive'],
    anonymous: 'none',
    roles: ['staff'],
    successStatus: 200,
    types,
    parameters: [
      { ...query('q', `Text to search, as in q of the list of each type. ${aboutSearchText}`, searchText), isRequired: true },
      query('types', 'Types to search. Default: all whose scope the token has.', z.array(z.enum([...types.keys()])).min(1)),
      query('limit', 'Rows of each type.', z.int().min(1).max(20).default(5)),
    ],
  }
}

function searchedType(list: Operation, operations: readonly Operation[]): [string, SearchedType][] {
  const { kind, resource, scope, roles } = list
  const row = operations.find((one) => one.kind === 'get' && one.resource === resource)
  if (kind !== 'list' || list.parent || resource.search.length === 0 || !roles.includes('staff') || !row) return []
  return [[resource.object, { resource, scope, path: row.path }]]
}

type SearchParameters = { q: z.ZodString; types: z.ZodOptional<z.ZodArray<z.ZodString>>; limit: z.ZodInt }

export const searchResultSchema = z.object({
  object: z.literal('search_result').meta({ description: 'Type of this object.' }),
  type: z.string().meta({ description: 'Type of the row.', example: 'course' }),
  id: z.string().meta({ description: 'Id of the row.', example: 'crs_01jgwejj00e6srgkpqm2sqf05m' }),
  title: z.string().meta({
    description: `Title of the row, or what its type has instead: a name, number, code, file name or the first ${maxTitle} characters of a text.`,
    example: 'Watercolour for beginners',
  }),
  url: z.url().meta({
    description: 'Where to read the row in this API.',
    example: 'https://school.example.com/api/v1/courses/crs_01jgwejj00e6srgkpqm2sqf05m',
  }),
})

/**
 * Returns the rows that contain the text, a few of each type that the token allows to read, for the school's staff.
 * @throws Problem query_too_expensive, and the problems of every operation
 */
export async function answerSearch(
  search: Search,
  caller: Caller,
  read: () => Readonly<Record<string, unknown>>,
  context: Pick<RunContext, 'store' | 'school' | 'externalServices'>,
): Promise<ApiResponse> {
  if (caller.kind === 'anonymous' || audienceOf(caller) !== 'staff') throw onlyForStaff(search)
  const parameters = parseParameters<SearchParameters>(search.parameters, read())
  const limit = parameters.get('limit')
  const types = typesOf(search, parameters.get('types'), caller)
  const byType = Map.groupBy(await findAll(types, { text: parameters.get('q'), limit, caller }, context), ({ object }) => object)
  const found = types.map((type) => ({ type, rows: byType.get(type.resource.object) ?? [] }))
  const { school, externalServices } = context
  const presentation: Presentation = { school, caller, externalServices, parameters: parameterValues<NoMembers>(new Map()) }
  const body = {
    object: 'list',
    data: found.flatMap(({ type, rows }) => rows.slice(0, limit).map((row) => presentResult(type, row, presentation))),
    page: { limit, has_more: found.some(({ rows }) => rows.length > limit), next_cursor: null, prev_cursor: null },
  }
  const text = JSON.stringify(body)
  return { status: 200, body, text, etag: listEtag(text) }
}

function onlyForStaff({ types }: Search): Problem {
  const list = [...types.values()][0]?.resource.name ?? 'courses'
  return new Problem('access_denied', {
    description: `The search of all types is for the staff of the school. Search one type with q of its list: ${apiPath}/${list}?q=text.`,
  })
}

/**
 * Returns the types to search: the requested ones, or those whose scope the caller has.
 * @throws Problem insufficient_scope, access_denied
 */
function typesOf(search: Search, requested: readonly string[] | undefined, caller: Caller & { kind: 'person' }): SearchedType[] {
  const allowed = [...search.types].flatMap(([name, { scope }]) => (caller.scopes.has(scope) ? [name] : []))
  // Without any of the scopes, the error lists all of them.
  const names = requested ?? (allowed.length > 0 ? allowed : [...search.types.keys()])
  requireTypes(search, names, caller)
  return [...search.types].flatMap(([name, type]) => (names.includes(name) ? [type] : []))
}

/** Searches all types with one statement, which has the time of a list. */
async function findAll(
  types: readonly SearchedType[],
  { text, limit, caller }: { text: string; limit: number; caller: Caller },
  { store, school }: Pick<RunContext, 'store' | 'school'>,
): Promise<FoundRow[]> {
  if (!store) throw new Error('the search needs a database')
  const searched = types.map(({ resource }) => ({ resource, columns: titleFields(resource).flatMap(({ columns }) => columns) }))
  try {
    return await store.transaction(async (writer) => {
      await limitStatements(store.kind, writer, 'read')
      return await findInTypes(writer, searched, { schoolId: school.id, caller, text, limit: limit + 1 })
    }, 'read')
  } catch (error) {
    throw types[0] ? explainViolation(error, types[0].resource) : error
  }
}

/** Returns the fields that a title may come from, as the staff sees them, each with the columns from which it is read. */
const titleFields = ({ schema, search, derivations }: Resource) =>
  titleNames(search.map(({ column }) => column))
    .filter((name) => name in schema.shape)
    .map((name) => {
      const derivation = derivations.find(({ field }) => field === name)
      return { name, columns: derivation?.from ?? [name], of: derivation?.of ?? ((row: SeenRow): unknown => row[name]) }
    })

function presentResult(
  { resource, path }: SearchedType,
  { id: stored, columns }: FoundRow,
  context: Presentation,
): Record<string, unknown> {
  const id = toPublicId(resource.idPrefix, stored)
  const row = { ...columns, id: stored, seen_as: 'staff' } as unknown as SeenRow
  const shown = Object.fromEntries(titleFields(resource).map(({ name, of }) => [name, name === 'id' ? id : of(row, context)]))
  return {
    object: 'search_result',
    type: resource.object,
    id,
    title: shortened(
      titleOf(
        shown,
        resource.search.map(({ column }) => column),
      ),
      maxTitle,
    ),
    url: context.school.issuer + path.replace(/\{\w+\}/, id),
  }
}
