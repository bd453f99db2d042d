import { audienceOf, type Caller } from '../../base/caller.ts'
import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { nearest } from '../../base/text/nearest.ts'
import type { Call } from '../call.ts'
import { scopeName } from './area.ts'
import { expandedResources, type Resource } from './resource.ts'
import { isObjectSchema, membersOf, unwrapped } from './views.ts'

export interface Shape {
  fields: readonly string[] | undefined
  expansions: ReadonlyMap<string, readonly string[]>
  /** The requested fields of the row that are omitted by default. */
  onDemand: readonly string[]
}

const whole: Shape = { fields: undefined, expansions: new Map(), onDemand: [] }

export const isPartial = ({ fields, expansions, onDemand }: Shape): boolean =>
  fields !== undefined || expansions.size > 0 || onDemand.length > 0

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
    ...(fields ?? []).flatMap((field) => unknownPath('fields', field, fieldPaths(resource, caller))),
    ...paths.flatMap((path) => unknownPath('expand', path, expansionPaths(resource))),
  ]
  if (fieldErrors[0]) throw new Problem('invalid_parameter', { description: fieldErrors[0].message, details: fieldErrors })
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

/** Returns the members of the body that `fields` names. The id and type of a row are always included. */
export function selectFields(body: Record<string, unknown>, fields: readonly string[] | undefined): Record<string, unknown> {
  if (fields === undefined) return body
  const paths = new Map<string, Set<string> | 'all'>([
    ['id', 'all'],
    ['object', 'all'],
  ])
  for (const field of fields) {
    const [name = '', inner] = field.split('.')
    const known = paths.get(name)
    if (inner === undefined) paths.set(name, 'all')
    else if (known !== 'all') paths.set(name, new Set([...(known ?? []), inner]))
  }
  return Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => {
      const wanted = paths.get(name)
      if (wanted === undefined) return []
      if (wanted === 'all' || !isObject(value)) return [[name, value]]
      return [[name, Object.fromEntries(Object.entries(value).filter(([inner]) => wanted.has(inner)))]]
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
  return Object.entries(membersOf(resource.schemas[view])).flatMap(([name, field]) => {
    const inner = unwrapped(field)
    return [name, ...(isObjectSchema(inner) ? Object.keys(inner.shape).map((member) => `${name}.${member}`) : [])]
  })
}

function unknownPath(parameter: string, path: string, known: readonly string[]): ProblemDetail[] {
  if (known.includes(path)) return []
  const near = nearest(path, known)
  const allowed =
    known.length === 0 ? 'It takes none.' : `It takes ${known.filter((name) => !name.includes('.') || path.includes('.')).join(', ')}.`
  return [
    {
      field: parameter,
      code: 'unknown',
      message: `${parameter}: there is no ${path.slice(0, 100)}${near ? `: did you mean ${near}?` : '.'} ${allowed}`,
      ...(near && { meta: { nearest: near } }),
    },
  ]
}
