import type { z } from 'zod'
import { type Audience, audiences } from '../../base/caller.ts'
import { type LowestRole, type ScopeVerb, scopeName } from './area.ts'
import { apiPath, type Operation } from './operations.ts'
import { acceptedKey, declaredParameters, type KeyName, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'
import type { View } from './views.ts'

export interface Rules {
  scope: ScopeVerb
  roles?: readonly Audience[]
}

export const base = (resource: Resource, { scope, roles }: Rules, { id, summary }: { id: string; summary: string }) => ({
  id,
  summary,
  resource,
  scope: declaredScope(resource, scope, id),
  anonymous: 'none' as const,
  roles: roles ?? rolesOf(resource, scope).filter((role) => role !== 'anonymous'),
  parameters: none,
  successStatus: 200 as const,
})

function declaredScope({ name, area }: Resource, verb: ScopeVerb, id: string): string {
  if (area.scopes[verb] === undefined) {
    const operation = id || 'the list'
    throw new Error(
      `${name}: ${operation} needs the scope ${scopeName(area, verb)}, which the area does not have. Add ${verb} with its sentence to scopes, or change the scope of the operation.`,
    )
  }
  return scopeName(area, verb)
}

/** Returns who may call a read: also callers without a token, if the resource has public rows. */
export function openness(resource: Resource, { scope, roles }: Rules): { anonymous: Operation['anonymous']; roles: readonly Audience[] } {
  const people = roles ?? rolesOf(resource, scope).filter((role) => role !== 'anonymous')
  const isOpen = roles === undefined && resource.audiences.includes('anonymous')
  if (!isOpen) return { anonymous: 'none', roles: people }
  return { anonymous: resource.isPartlyPublic ? 'partial' : 'full', roles: ['anonymous', ...people] }
}

export function onRow(
  resource: Resource,
  rules: Rules & { view?: View; needsIfMatch?: true | readonly string[]; parameters?: z.ZodObject; isOwn?: true },
  { end, key = 'id', ...description }: { id: string; summary: string; end?: string; key?: KeyName },
) {
  const { view = 'own', needsIfMatch = false } = rules
  const where = rules.isOwn && end !== undefined ? ownPlace(resource, end) : place(resource, key, end)
  return { ...base(resource, rules, description), ...at(where, rules.parameters), view, needsIfMatch }
}

function rolesOf(resource: Resource, verb: ScopeVerb): Audience[] {
  const texts: Partial<Record<ScopeVerb, { from: LowestRole }>> = resource.area.scopes
  const { from } = texts[verb] ?? { from: 'learner' }
  const lowest = audiences.indexOf(from === 'admin' ? 'staff' : from)
  return resource.audiences.filter((audience) => audiences.indexOf(audience) >= lowest)
}

/** Creates parameters: on the first use of an operation, because a process uses few of them. */
export type MakeParameters = () => readonly Parameter[]

/** A path under `/api/v1` and its parameters. */
export interface Place {
  path: string
  parameters: MakeParameters
}

export const none: MakeParameters = () => []

/** Returns the path of one row, or of something that belongs to it. A parameter named `id` accepts whatever identifies the row. */
export function place(resource: Resource, key: KeyName, end?: string): Place {
  const row = resource.isSingleton ? resource.path : `${resource.path}/{${key}}`
  const accepts = key === 'id' ? acceptedKey(resource) : key
  return { path: end === undefined ? row : `${row}/${end}`, parameters: () => rowParameters(resource, false, { name: key, accepts }) }
}

/** Returns the path of an action on the caller's own row. */
const ownPlace = (resource: Resource, end: string): Place => ({ path: `${resource.path}/me/${end}`, parameters: none })

export const at = ({ path, parameters }: Place, declared?: z.ZodObject): Place => ({
  path: `${apiPath}/${path}`,
  parameters: () => [...parameters(), ...declaredParameters(declared, path)],
})
