import type { z } from 'zod'
import { type Audience, audiences } from '../policy/caller.ts'
import { type LowestRole, type ScopeVerb, scopeName } from './area.ts'
import { deprecated } from './deprecation.ts'
import { apiPath, type Operation } from './operations.ts'
import { declaredParameters, keyName, listParameters, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'
import type { View } from './views.ts'

/**
 * Every operation of a resource.
 * @throws Error for a deprecation of an operation that is none
 */
export function operationsOf(resource: Resource): Operation[] {
  const { name, deprecations } = resource
  const operations = allOf(resource)
  for (const [id, deprecation] of Object.entries(deprecations)) {
    if (!operations.some((operation) => operation.id === id)) throw new Error(`${name} has no operation ${id} that could be deprecated`)
    deprecated(deprecation)
  }
  return operations.map((operation) => {
    const deprecation = deprecations[operation.id]
    return deprecation ? { ...operation, deprecation } : operation
  })
}

function allOf(resource: Resource): Operation[] {
  const { operations, actions, collectionActions, reads, collectionReads, under } = resource
  return [
    ...listsOf(resource),
    ...(operations.get === undefined ? [] : [getOf(resource, operations.get)]),
    ...Object.entries(reads).map(([verb, rules]) => readOf(resource, verb, rules)),
    ...Object.entries(collectionReads).map(([verb, rules]) => collectionReadOf(resource, verb, rules)),
    ...withRules(operations.create, (rules): Operation => {
      const parent = under && { resource: under.resource(), column: under.column }
      return {
        ...base(resource, rules, { id: rules.id ?? `create${one(resource)}`, summary: `Add ${article(resource.object)}` }),
        ...at(parent ? place(parent.resource, 'id', resource.name) : { path: resource.path, parameters: [] }),
        kind: 'create',
        method: 'POST',
        successStatus: 201,
        rules,
        parent,
      }
    }),
    ...withRules(
      operations.update,
      (rules): Operation => ({
        ...onRow(resource, rules, { id: `update${one(resource)}`, summary: `Change ${the(resource)}` }),
        kind: 'update',
        method: 'PATCH',
        rules,
      }),
    ),
    ...withRules(
      operations.replace,
      (rules): Operation => ({
        ...onRow(resource, rules, { id: `replace${one(resource)}`, summary: `Replace ${the(resource)}` }),
        kind: 'replace',
        method: 'PUT',
        rules,
      }),
    ),
    ...withRules(
      operations.remove,
      (rules): Operation => ({
        ...onRow(resource, rules, { id: rules.id ?? `delete${one(resource)}`, summary: `Remove ${the(resource)}` }),
        kind: 'remove',
        method: 'DELETE',
        successStatus: rules.status ?? (rules.instead ? 202 : 204),
        rules,
      }),
    ),
    ...Object.entries(actions).map(
      ([verb, rules]): Operation => ({
        ...onRow(resource, rules, { id: rules.id ?? `${verbName(verb)}${one(resource)}`, summary: rules.summary, end: rules.at ?? verb }),
        kind: 'action',
        method: rules.method ?? 'POST',
        successStatus: rules.status ?? 200,
        name: verb,
        input: rules.input,
        rules,
      }),
    ),
    ...Object.entries(collectionActions).map(
      ([verb, rules]): Operation => ({
        ...base(resource, rules, { id: rules.id ?? `${verbName(verb)}${pascalCase(resource.name)}`, summary: rules.summary }),
        ...at({ path: `${resource.path}/${verb}`, parameters: [] }, rules.parameters),
        kind: 'collection',
        method: rules.method ?? 'POST',
        successStatus: rules.status ?? 200,
        name: verb,
        rules,
      }),
    ),
  ]
}

/** The list of the resource, and the same under rows of others. */
function listsOf(resource: Resource): Operation[] {
  const { name, operations, listedUnder } = resource
  const scope = operations.list
  if (scope === undefined) return []
  const parameters = listParameters(resource)
  const list = {
    ...base(resource, { scope }, { id: '', summary: '' }),
    ...openness(resource, { scope }),
    kind: 'list',
    method: 'GET',
  } as const
  return [
    { ...list, id: `list${pascalCase(name)}`, summary: `List ${words(name)}`, ...at({ path: resource.path, parameters }) },
    ...listedUnder.map(({ resource: other, where }): Operation => {
      const parent = other()
      const under = place(parent, 'id_or_slug', name)
      return {
        ...list,
        id: `list${one(parent)}${pascalCase(name)}`,
        summary: `List ${words(name)} of ${the(parent)}`,
        ...at({ path: under.path, parameters: [...under.parameters, ...parameters] }),
        parent: { resource: parent, where },
      }
    }),
  ]
}

function getOf(resource: Resource, scope: ScopeVerb): Operation {
  return {
    ...base(resource, { scope }, { id: `get${one(resource)}`, summary: `Show ${the(resource)}` }),
    ...openness(resource, { scope }),
    path: `${apiPath}/${place(resource, 'id_or_slug').path}`,
    parameters: rowParameters(resource, true),
    kind: 'get',
    method: 'GET',
  }
}

function readOf(resource: Resource, verb: string, rules: Resource['reads'][string]): Operation {
  const isForAll = (rules.view ?? 'public') === 'public'
  return {
    ...base(resource, rules, { id: rules.id ?? `get${one(resource)}${pascalCase(verb)}`, summary: rules.summary }),
    ...(isForAll && openness(resource, rules)),
    ...at(place(resource, rules.byId ? 'id' : 'id_or_slug', verb), rules.parameters),
    kind: 'read',
    method: 'GET',
    rules,
    output: rules.output,
  }
}

function collectionReadOf(resource: Resource, verb: string, rules: Resource['collectionReads'][string]): Operation {
  return {
    ...base(resource, rules, { id: rules.id ?? `get${pascalCase(resource.name)}${pascalCase(verb)}`, summary: rules.summary }),
    ...(rules.isPublic && openness(resource, rules)),
    ...at({ path: `${resource.path}/${verb}`, parameters: [] }, rules.parameters),
    kind: 'collectionRead',
    method: 'GET',
    rules,
    output: rules.output,
  }
}

interface Rules {
  scope: ScopeVerb
  roles?: readonly Audience[]
}

/** What all operations have. */
const base = (resource: Resource, { scope, roles }: Rules, { id, summary }: { id: string; summary: string }) => ({
  id,
  summary,
  resource,
  scope: scopeName(resource.area, scope),
  anonymous: 'none' as const,
  roles: roles ?? rolesOf(resource, scope).filter((role) => role !== 'anonymous'),
  parameters: [] as readonly Parameter[],
  successStatus: 200 as const,
})

/** What opens a read to callers without a token, where they have rows at all. */
function openness(resource: Resource, { scope, roles }: Rules): { anonymous: Operation['anonymous']; roles: readonly Audience[] } {
  const people = roles ?? rolesOf(resource, scope).filter((role) => role !== 'anonymous')
  const isOpen = roles === undefined && resource.audiences.includes('anonymous')
  if (!isOpen) return { anonymous: 'none', roles: people }
  return { anonymous: resource.isPartlyPublic ? 'partial' : 'full', roles: ['anonymous', ...people] }
}

function onRow(
  resource: Resource,
  rules: Rules & { view?: Exclude<View, 'public'>; needsIfMatch?: true; parameters?: z.ZodObject },
  { end, ...said }: { id: string; summary: string; end?: string },
) {
  const { view = 'own', needsIfMatch = false } = rules
  return { ...base(resource, rules, said), ...at(place(resource, 'id', end), rules.parameters), view, needsIfMatch }
}

interface Place {
  path: string
  parameters: readonly Parameter[]
}

/** The address of one row, or of something that belongs to it. */
function place(resource: Resource, key: 'id' | 'id_or_slug', end?: string): Place {
  const parameters = rowParameters(resource, false, key === 'id_or_slug')
  const row = parameters.some(({ name }) => name === keyName(resource, key))
    ? `${resource.path}/{${keyName(resource, key)}}`
    : resource.path
  return { path: end === undefined ? row : `${row}/${end}`, parameters }
}

const at = ({ path, parameters }: Place, declared?: z.ZodObject): { path: string; parameters: readonly Parameter[] } => ({
  path: `${apiPath}/${path}`,
  parameters: [...parameters, ...declaredParameters(declared, path)],
})

/** Who has rows, and can use the scope. */
function rolesOf(resource: Resource, verb: ScopeVerb): Audience[] {
  const { from } = (resource.area.scopes as Partial<Record<ScopeVerb, { from: LowestRole }>>)[verb] ?? { from: 'learner' as const }
  const lowest = audiences.indexOf(from === 'admin' ? 'staff' : from)
  return resource.audiences.filter((audience) => audiences.indexOf(audience) >= lowest)
}

/** A bare scope verb is an operation without rules of its own. */
function withRules<Kind extends Rules>(declared: ScopeVerb | Kind | undefined, make: (rules: Kind) => Operation): Operation[] {
  if (declared === undefined) return []
  return [make(typeof declared === 'string' ? ({ scope: declared } as Kind) : declared)]
}

const words = (name: string): string => name.replaceAll('_', ' ')

const article = (object: string): string => `${/^[aeio]/.test(object) ? 'an' : 'a'} ${words(object)}`

const the = ({ object, isSingleton }: Resource): string => `${isSingleton ? 'the' : 'one'} ${words(object)}`

const one = ({ object }: Resource): string => pascalCase(object)

const camelCase = (name: string): string => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** `revisions/{n}/restore` names what it does last: `restoreRevisions`. */
const verbName = (verb: string): string => {
  const [last = '', ...before] = verb
    .split('/')
    .filter((segment) => !segment.startsWith('{'))
    .reverse()
  return camelCase(last) + before.reverse().map(pascalCase).join('')
}

const pascalCase = (name: string): string => camelCase(`_${name.replaceAll(/[/-]/g, '_').replaceAll(/[{}]/g, '')}`)
