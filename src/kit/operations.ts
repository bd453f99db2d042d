import type { z } from 'zod'
import { type Audience, audiences } from '../policy/caller.ts'
import { type LowestRole, type ScopeVerb, scopeName } from './area.ts'
import { listParameters, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'
import type { View } from './views.ts'
import type { Action, Change, CollectionAction, Creation, Removal } from './writing.ts'

/** Where every operation of the school's API stands. */
export const apiPath = '/api/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What documents say of an operation. */
export interface Described {
  /** `listCourses`. */
  id: string
  method: Method
  /** `/api/v1/courses/{id_or_slug}`. */
  path: string
  summary: string
  /** Whether a caller without a token is served, with the public view. */
  anonymous: 'full' | 'none'
  /** Who it is of any use to: a caller of another role is refused whatever the token says. */
  roles: readonly Audience[]
  parameters: readonly Parameter[]
  successStatus: 200 | 201 | 204 | 207
}

interface Common extends Described {
  resource: Resource
  scope: string
}

interface OnRow {
  /** How much of the row one must see to touch it. */
  view: Exclude<View, 'public'>
  needsIfMatch: boolean
}

/** One thing that can be done, derived from a resource. A route and a tool are this, seen through two doors. */
export type Operation = Common &
  (
    | { kind: 'list' | 'get' }
    | { kind: 'create'; rules: Creation<never, ScopeVerb> }
    | ({ kind: 'update'; rules: Change<never, ScopeVerb> } & OnRow)
    | ({ kind: 'remove'; rules: Removal<never, ScopeVerb> } & OnRow)
    | ({ kind: 'action'; rules: Action<never, ScopeVerb>; name: string; input: z.ZodObject | undefined } & OnRow)
    | { kind: 'collection'; rules: CollectionAction<ScopeVerb>; name: string }
  )

export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

/** Every operation of a resource. */
export function operationsOf(resource: Resource): Operation[] {
  const { name, object, isSingleton, operations, actions, collectionActions } = resource
  const row = rowPath(resource, 'id')
  const one = isSingleton ? `the ${words(object)}` : `one ${words(object)}`
  const found: (Operation | false)[] = [
    reading('list', { id: `list${pascalCase(name)}`, path: name, summary: `List ${words(name)}`, parameters: listParameters(resource) }),
    reading('get', { id: `get${pascalCase(object)}`, ...rowPath(resource, 'id_or_slug'), summary: `Show ${one}` }),
    writing(operations.create, (rules) => ({
      ...common(rules, { id: `create${pascalCase(object)}`, path: name, summary: `Add a ${words(object)}`, parameters: [] }),
      kind: 'create',
      method: 'POST',
      successStatus: 201,
      rules,
    })),
    writing(operations.update, (rules) => ({
      ...common(rules, { id: `update${pascalCase(object)}`, ...row, summary: `Change ${one}` }),
      ...onRow(rules),
      kind: 'update',
      method: 'PATCH',
      rules,
    })),
    writing(operations.remove, (rules) => ({
      ...common(rules, { id: `delete${pascalCase(object)}`, ...row, summary: `Remove ${one}` }),
      ...onRow(rules),
      kind: 'remove',
      method: 'DELETE',
      successStatus: 204,
      rules,
    })),
    ...Object.entries(actions).map(
      ([verb, rules]): Operation => ({
        ...common(rules, { id: `${camelCase(verb)}${pascalCase(object)}`, ...row, summary: rules.summary }),
        ...onRow(rules),
        path: `${apiPath}/${row.path}/${verb}`,
        kind: 'action',
        method: rules.method ?? 'POST',
        name: verb,
        input: rules.input,
        rules,
      }),
    ),
    ...Object.entries(collectionActions).map(
      ([verb, rules]): Operation => ({
        ...common(rules, { id: `${camelCase(verb)}${pascalCase(name)}`, path: `${name}/${verb}`, summary: rules.summary, parameters: [] }),
        kind: 'collection',
        method: rules.method ?? 'POST',
        successStatus: rules.status ?? 200,
        name: verb,
        rules,
      }),
    ),
  ]
  return found.filter((operation) => operation !== false)

  function reading(kind: 'list' | 'get', described: Pick<Described, 'id' | 'path' | 'summary' | 'parameters'>): Operation | false {
    const verb = operations[kind]
    if (verb === undefined) return false
    const isOpen = resource.audiences.includes('anonymous')
    const roles = rolesOf(verb).filter((role) => role !== 'anonymous')
    return {
      ...common({ scope: verb }, described),
      kind,
      anonymous: isOpen ? 'full' : 'none',
      roles: isOpen ? ['anonymous', ...roles] : roles,
    }
  }

  function common(
    { scope, roles }: { scope: ScopeVerb; roles?: readonly Audience[] },
    { path, ...described }: Pick<Described, 'id' | 'path' | 'summary' | 'parameters'>,
  ): Common & { kind: 'list'; method: 'GET' } {
    return {
      ...described,
      kind: 'list',
      method: 'GET',
      path: `${apiPath}/${path}`,
      resource,
      scope: scopeName(resource.area, scope),
      anonymous: 'none',
      roles: roles ?? rolesOf(scope),
      successStatus: 200,
    }
  }

  /** Who has rows, and can use the scope. */
  function rolesOf(verb: ScopeVerb): Audience[] {
    const { from } = (resource.area.scopes as Partial<Record<ScopeVerb, { from: LowestRole }>>)[verb] ?? { from: 'learner' as const }
    const lowest = audiences.indexOf(from === 'admin' ? 'staff' : from)
    return resource.audiences.filter((audience) => audiences.indexOf(audience) >= lowest)
  }
}

/** A bare scope verb is an operation without rules of its own. */
function writing<Rules extends { scope: ScopeVerb }>(
  declared: ScopeVerb | Rules | undefined,
  make: (rules: Rules) => Operation,
): Operation | false {
  if (declared === undefined) return false
  return make(typeof declared === 'string' ? ({ scope: declared } as Rules) : declared)
}

const onRow = ({ view = 'own', needsIfMatch = false }: Partial<OnRow>): OnRow => ({ view, needsIfMatch })

function rowPath(resource: Resource, key: 'id' | 'id_or_slug'): { path: string; parameters: readonly Parameter[] } {
  const parameters = rowParameters(resource, key === 'id_or_slug')
  const [first] = parameters.filter((parameter) => parameter.in === 'path')
  return { path: first ? `${resource.name}/{${first.name}}` : resource.name, parameters }
}

const words = (name: string): string => name.replaceAll('_', ' ')

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

const pascalCase = (name: string): string => camelCase(`_${name}`)
