import { z } from 'zod'
import { audienceOf } from '../../base/caller.ts'
import { aboutKeys, type Operation, pagedBy } from './operations.ts'
import { filterDescription, type Parameter, query, sentence } from './parameters.ts'
import { expandedResources, type Resource } from './resource.ts'
import { isArray, membersOf, unwrapped } from './views.ts'

const maxToolRows = 50

/**
 * Returns the parameters of an MCP tool: those that visitors need, with a short description or none, because a model reads every word of a
 * list of tools. `price[lte]` becomes `price_lte`: several model vendors reject a schema with brackets in a name.
 * @throws Error at start if two parameters would have the same name
 */
export function toolParameters(operation: Operation): Parameter[] {
  const { kind, parameters, resource } = operation
  const continued = longList(operation) === undefined ? [] : [query('cursor', 'page.next_cursor of the part before.', z.string().max(20))]
  const offered = [...parameters, ...continued]
    .filter(({ isStaffOnly }) => !isStaffOnly)
    .flatMap((parameter) =>
      kind === 'list' || pagedBy(operation) !== undefined ? forList(parameter, resource) : forRow(parameter, resource),
    )
    .map((parameter) => ({ ...parameter, name: parameter.name.replace(/\[(\w+)\]$/, '_$1') }))
  const names = offered.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`two parameters of a tool have the same name: ${names.join(', ')}`)
  return offered
}

/** Returns the list in the response of a read that has no pages; undefined if there is none. A tool returns it in parts. */
export function longList(operation: Operation): string | undefined {
  if ((operation.kind !== 'read' && operation.kind !== 'collectionRead') || pagedBy(operation) !== undefined) return undefined
  return Object.entries(membersOf(operation.output)).find(([, field]) => isArray(unwrapped(field)))?.[0]
}

function forList(parameter: Parameter, resource: Resource): Parameter[] {
  const { name, filter } = parameter
  if (filter) {
    const { filters } = resource.catalogue
    if (!(filters?.includes(name) ?? filter.operator === 'equals')) return []
    return [{ ...parameter, description: parameter.target ? `${wordsFor(filter)} ${aboutKeys(parameter.target)}` : wordsFor(filter) }]
  }
  switch (name) {
    case 'q':
      return [{ ...parameter, description: 'Words to find.' }]
    case 'sort':
      return sortParameter(resource)
    case 'limit':
      return [query('limit', '', z.int().min(1).max(maxToolRows).default(10))]
    case 'cursor':
      return [{ ...parameter, description: 'page.next_cursor of the page before.' }]
    case 'fields':
      return [{ ...parameter, description: 'Fields of each row instead of these. Nested: price.amount.' }]
    case 'expand':
      return []
    default:
      return [parameter]
  }
}

function wordsFor({ filter, operator }: NonNullable<Parameter['filter']>): string {
  if (operator !== 'equals') return filterDescription(filter, operator)
  return filter.value instanceof z.ZodEnum ? '' : sentence(filter.description)
}

function forRow(parameter: Parameter, resource: Resource): Parameter[] {
  if (parameter.name === 'id_or_slug') return [{ ...parameter, description: 'Id or slug.' }]
  if (parameter.name === 'fields') return [{ ...parameter, description: 'Fields to return. Default: all.' }]
  if (parameter.name !== 'expand') return [parameter]
  const names = [
    ...resource.onDemand,
    ...Object.entries(resource.expansions).flatMap(([name, expansion]) =>
      expandedResources(expansion).every(({ audiences }) => audiences.includes(audienceOf({ kind: 'anonymous' }))) ? [name] : [],
    ),
  ]
  return names.length === 0 ? [] : [{ ...parameter, description: `Rows to include: ${names.join(', ')}.` }]
}

/** Returns the sorts by what visitors see of the rows; programs that compare times of changes use the API. */
function sortParameter({ sorts, defaultSorts }: Resource): Parameter[] {
  const usual = defaultSorts?.everyone.name
  const names = sorts.map(({ name }) => name).filter((name) => name === usual || !/^-?(created|updated)_at$/.test(name))
  return [query('sort', `Default: ${usual}.`, z.enum(names))]
}
