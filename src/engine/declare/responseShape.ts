import type { z } from 'zod'
import { audienceOf, type Caller } from '../../base/caller.ts'
import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { nearest } from '../../base/text/nearest.ts'
import type { Call } from '../call.ts'
import { scopeName } from './area.ts'
import { expandedResources, type Resource } from './resource.ts'
import { isArray, isObjectSchema, membersOf, unwrapped } from './views.ts'

export interface Shape {
  fields: readonly string[] | undefined
  expansions: ReadonlyMap<string, readonly string[]>
  /** The requested fields of the row that are omitted by default. */
  onDemand: readonly string[]
}

const whole: Shape = { fields: undefined, expansions: new Map(), onDemand: [] }

/**
 * Parses `fields` and `expand`.
 * @throws Problem invalid_parameter for an unknown field or expansion
 * @throws Problem insufficient_scope or access_denied if the caller has no access to an expanded resource
 */
export function parseShape({
  operation: { resource, scope },
  parameters,
  caller,
}: Pick<Call, 'operation' | 'parameters' | 'caller'>): Shape {
  const fields = parameters.get('fields')
  const expanded = parameters.get('expand')
  if (fields === undefined && expanded === undefined) return whole
  const paths = (expanded ?? []).filter((path) => !resource.onDemand.includes(path))
  const fieldErrors = [
    ...paths.flatMap((path) => unknownPath('expand', path, expansionPaths(resource))),
    ...unknownFields(fields, () => shapedPaths(resource, [...new Set(paths.map((path) => path.split('.')[0] ?? ''))], caller)),
  ]
  requireNone(fieldErrors)
  requireScopes(
    paths.flatMap((path) => resourcesOn(resource, path)),
    scope,
    caller,
  )
  const expansions = new Map<string, string[]>()
  for (const path of paths) {
    const [name = '', inner] = path.split('.')
    expansions.set(name, [...(expansions.get(name) ?? []), ...(inner === undefined ? [] : [inner])])
  }
  return { fields, expansions, onDemand: (expanded ?? []).filter((path) => resource.onDemand.includes(path)) }
}

/**
 * Returns a response that is not a row with the members that `fields` names; those of a page are members of its elements. An id can
 * always be named, as that of a row.
 * @throws Problem invalid_parameter for an unknown member
 */
export function selectMembers(
  body: Record<string, unknown>,
  output: z.ZodObject,
  { fields, isPage }: { fields: readonly string[] | undefined; isPage: boolean },
): Record<string, unknown> {
  if (fields === undefined) return body
  const known = pathsIn(output)
  const within = isPage ? known.flatMap((path) => (path.startsWith('data.') ? [path.slice('data.'.length)] : [])) : known
  requireNone(unknownFields(fields, () => ['id', 'object', ...within]))
  return select(body, selectionOf([isPage ? 'id' : 'object', ...fields]))
}

function requireNone(fieldErrors: ProblemDetail[]): void {
  if (fieldErrors[0]) throw new Problem('invalid_parameter', { description: fieldErrors[0].message, details: fieldErrors })
}

const unknownFields = (fields: readonly string[] | undefined, known: () => readonly string[]): ProblemDetail[] => {
  const paths = fields === undefined ? [] : known()
  return (fields ?? []).flatMap((field) => unknownPath('fields', field, paths))
}

type Selection = Map<string, Selection>

const selectionOf = (paths: readonly string[]): Selection => {
  const root: Selection = new Map()
  for (const path of [...paths].toSorted()) {
    let selection = root
    for (const name of path.split('.')) {
      const found = selection.get(name)
      // Everything below a member that was named as a whole is selected already.
      if (found?.size === 0) break
      selection.set(name, found ?? new Map())
      selection = selection.get(name) ?? selection
    }
  }
  return root
}

/**
 * Returns the function that reduces a body to the members that `fields` names, also of the elements of lists. The id and type of a row are
 * always included.
 */
export function fieldSelector(fields: readonly string[] | undefined): (body: Record<string, unknown>) => Record<string, unknown> {
  if (fields === undefined) return (body) => body
  const selection = selectionOf(['id', 'object', ...fields])
  return (body) => select(body, selection)
}

/** Selects members of an object, or of the elements of a list. */
function select(body: Record<string, unknown>, selection: Selection): Record<string, unknown> {
  const part = (value: unknown, inner: Selection): unknown => {
    if (inner.size === 0) return value
    if (Array.isArray(value)) return value.map((element) => part(element, inner))
    return isObject(value) ? select(value, inner) : value
  }
  if (Array.isArray(body.data) && (body.object === 'list' || 'has_more' in body)) return { ...body, data: part(body.data, selection) }
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const inner = selection.get(name)
      return inner === undefined ? [] : [[name, part(value, inner)]]
    }),
  )
}

function requireScopes(others: readonly Resource[], own: string, caller: Caller): void {
  const audience = audienceOf(caller)
  const closed = others.find((resource) => !resource.audiences.includes(audience))
  if (closed) throw new Problem('access_denied', { description: `${closed.area.title}: you cannot expand it here. Remove it from expand.` })
  if (caller.kind === 'anonymous') return
  const needed = others.map((resource) => scopeName(resource.area, 'read'))
  const missing = needed.filter((scope) => !caller.scopes.has(scope))
  if (missing.length === 0) return
  throw new Problem('insufficient_scope', {
    description: `The expanded objects need the scopes ${[...new Set(missing)].join(', ')}.`,
    requiredScopes: [...new Set([own, ...needed])],
  })
}

function resourcesOn(resource: Resource, path: string): Resource[] {
  const [name = '', inner] = path.split('.')
  const expansion = resource.expansions[name]
  if (!expansion) return []
  return expandedResources(expansion).flatMap((next) => [next, ...(inner === undefined ? [] : resourcesOn(next, inner))])
}

const expansionPaths = ({ expansions, onDemand }: Resource): string[] => [
  ...onDemand,
  ...Object.entries(expansions).flatMap(([name, expansion]) => [
    name,
    ...(expansion.resources ? [] : Object.keys(expansion.resource().expansions).map((inner) => `${name}.${inner}`)),
  ]),
]

/** Returns the field paths that the caller may name. A field that none of the caller's views shows does not exist for them. */
function fieldPaths(resource: Resource, caller: Caller): string[] {
  const audience = audienceOf(caller)
  const widest = resource.views.open ? 'own' : 'public'
  const view = audience === 'anonymous' ? widest : audience === 'learner' ? 'own' : 'staff'
  return pathsIn(resource.schemas[view])
}

/** Returns the field paths of a row with these expansions. */
function shapedPaths(resource: Resource, expanded: readonly string[], caller: Caller): string[] {
  const within = expanded.flatMap((name) => {
    const expansion = resource.expansions[name]
    const rows = expansion ? expandedResources(expansion) : []
    return [name, ...rows.flatMap((row) => fieldPaths(row, caller).map((field) => `${name}.${field}`))]
  })
  return [...fieldPaths(resource, caller).filter((path) => !expanded.includes(path.split('.')[0] ?? '')), ...new Set(within)]
}

const maxDepth = 4

/** Returns the paths of the members of an object: also those of objects in it and in its lists, with dots. */
function pathsIn(schema: z.ZodType, depth = maxDepth): string[] {
  const inner = unwrapped(schema)
  if (isArray(inner)) return pathsIn(inner.element, depth)
  if (depth === 0 || !isObjectSchema(inner)) return []
  return Object.entries(membersOf(inner)).flatMap(([name, member]) => [
    name,
    ...pathsIn(member, depth - 1).map((path) => `${name}.${path}`),
  ])
}

function unknownPath(parameter: string, path: string, known: readonly string[]): ProblemDetail[] {
  if (known.includes(path)) return []
  const near = nearest(path, known)
  const beside = known.filter((name) => parentOf(name) === parentOf(near ?? path))
  const allowed =
    known.length === 0
      ? 'It takes none.'
      : `It takes ${(beside.length > 0 ? beside : known.filter((name) => !name.includes('.'))).join(', ')}.`
  return [
    {
      field: parameter,
      code: 'unknown',
      message: `${parameter}: there is no ${path.slice(0, 100)}${near ? `: did you mean ${near}?` : '.'} ${allowed}`,
      ...(near && { meta: { nearest: near } }),
    },
  ]
}

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('.') + 1)
