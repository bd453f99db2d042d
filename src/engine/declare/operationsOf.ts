import { audiences } from '../../base/caller.ts'
import { bulkAction } from '../write/bulkAction.ts'
import type { ScopeVerb } from './area.ts'
import { deprecated } from './deprecation.ts'
import { at, base, type MakeParameters, none, onRow, openness, type Place, place, type Rules } from './operationCommon.ts'
import { describeRow, pascalCase, pluralName, singularName, toWords, verbName, withArticle } from './operationNames.ts'
import { apiPath, type CreateParent, type Operation, withKeys } from './operations.ts'
import { csvParameter, fieldsParameter, listParameters, pageParameters, rowParameters, widestKey } from './parameters.ts'
import type { Resource } from './resource.ts'

/** An operation whose parameters are created later. */
type Outlined<One = Operation> = One extends Operation ? Omit<One, 'parameters'> & { parameters: MakeParameters } : never

/**
 * Returns every operation of a resource. Filters by the rows of `resources` also take their slug or number.
 * @throws Error if the declaration deprecates or follows an operation that does not exist
 */
export function operationsOf(resource: Resource, resources: readonly Resource[] = []): Operation[] {
  const { name, actions, deprecations } = resource
  const operations = allOf(resource)
  for (const [id, deprecation] of Object.entries(deprecations)) {
    if (!operations.some((operation) => operation.id === id))
      throw new Error(`${name} has no operation ${id}: correct the id in deprecations`)
    deprecated(deprecation)
  }
  for (const { follows } of Object.values(actions)) {
    if (follows !== undefined && !operations.some(({ id }) => id === follows))
      throw new Error(`${name} has no operation ${follows}: correct the id in follows`)
  }
  return operations.map(({ parameters, ...operation }): Operation => {
    const deprecation = deprecations[operation.id]
    let created: Operation['parameters'] | undefined
    return {
      ...operation,
      ...(deprecation && { deprecation }),
      get parameters() {
        created ??= parameters().map((one) => withKeys(one, resources))
        return created
      },
    }
  })
}

function allOf(resource: Resource): Outlined[] {
  const { operations, actions, collectionActions, reads, collectionReads, under } = resource
  return [
    ...listsOf(resource),
    ...(operations.get === undefined ? [] : [getOf(resource, operations.get)]),
    ...Object.entries(reads).map(([verb, rules]) => readOf(resource, verb, rules)),
    ...Object.entries(collectionReads).map(([verb, rules]) => collectionReadOf(resource, verb, rules)),
    ...withRules(operations.create, (rules): Outlined => {
      const parent = under && parentOf(resource.name, under)
      return {
        ...base(resource, rules, { id: rules.id ?? `create${singularName(resource)}`, summary: `Add ${withArticle(resource.object)}` }),
        ...at(parent ? place(parent.resource, 'id', resource.name) : { path: resource.path, parameters: none }),
        kind: 'create',
        method: 'POST',
        successStatus: 201,
        rules,
        parent,
      }
    }),
    ...withRules(
      operations.update,
      (rules): Outlined => ({
        ...onRow(resource, rules, {
          id: `update${singularName(resource)}`,
          summary: `Change ${describeRow(resource)}`,
          key: widestKey(resource),
        }),
        kind: 'update',
        method: 'PATCH',
        rules,
      }),
    ),
    ...withRules(
      operations.replace,
      (rules): Outlined => ({
        ...onRow(resource, rules, {
          id: `replace${singularName(resource)}`,
          summary: `Replace ${describeRow(resource)}`,
          key: widestKey(resource),
        }),
        kind: 'replace',
        method: 'PUT',
        needsIfMatch: true,
        rules,
      }),
    ),
    ...withRules(
      operations.remove,
      (rules): Outlined => ({
        ...onRow(resource, rules, {
          id: rules.id ?? `delete${singularName(resource)}`,
          summary: `Remove ${describeRow(resource)}`,
          key: widestKey(resource),
        }),
        kind: 'remove',
        method: 'DELETE',
        successStatus: rules.status ?? (rules.instead ? 202 : 204),
        rules,
      }),
    ),
    ...Object.entries(actions).map(
      ([verb, rules]): Outlined => ({
        ...onRow(resource, rules, {
          id: rules.id ?? `${verbName(verb)}${singularName(resource)}`,
          summary: rules.summary,
          end: rules.at ?? verb,
        }),
        kind: 'action',
        method: rules.method ?? 'POST',
        successStatus: rules.status ?? 200,
        name: verb.replace(/\/\{\w+\}$/, ''),
        input: rules.input,
        rules,
      }),
    ),
    ...Object.entries(withBulk(resource, collectionActions)).map(
      ([verb, rules]): Outlined => ({
        ...base(resource, rules, { id: rules.id ?? `${verbName(verb)}${pluralName(resource)}`, summary: rules.summary }),
        ...at({ path: `${resource.path}/${verb}`, parameters: none }, rules.parameters),
        kind: 'collection',
        method: rules.method ?? 'POST',
        successStatus: rules.status ?? 200,
        name: verb,
        rules,
      }),
    ),
  ]
}

const withBulk = (resource: Resource, declared: Resource['collectionActions']): Resource['collectionActions'] => {
  const { bulk } = resource.operations
  return bulk ? { bulk: bulkAction(resource, bulk, () => operationsOf(resource)), ...declared } : declared
}

function listsOf(resource: Resource): Outlined[] {
  const { name, operations, listedUnder, isPart } = resource
  const scope = operations.list
  if (scope === undefined) return []
  const parameters: MakeParameters = () => listParameters(resource)
  const list = {
    ...base(resource, { scope }, { id: '', summary: '' }),
    ...openness(resource, { scope }),
    kind: 'list',
    method: 'GET',
  } as const
  const own = { ...list, id: `list${pluralName(resource)}`, summary: `List ${toWords(name)}`, ...at({ path: resource.path, parameters }) }
  return [
    ...(isPart ? [] : [own]),
    ...listedUnder.map(({ resource: other, where, id, at: end = name, byId, isClosed }): Outlined => {
      const parent = other()
      const under = readPlace(parent, end, byId)
      return {
        ...list,
        ...(isClosed && { anonymous: 'none' as const, roles: list.roles.filter((role) => role !== 'anonymous') }),
        id: id ?? `list${singularName(parent)}${pluralName(resource)}`,
        summary: `List ${toWords(name)} of ${describeRow(parent)}`,
        ...at({ path: under.path, parameters: () => [...under.parameters(), ...parameters()] }),
        parent: { resource: parent, where },
      }
    }),
  ]
}

/** Returns the path of a sub-resource. It accepts the same identifiers (id, slug, number) as the row. */
const readPlace = (resource: Resource, end: string, isNamedId: true | undefined) =>
  place(resource, isNamedId ? 'id' : widestKey(resource), end)

function getOf(resource: Resource, scope: ScopeVerb): Outlined {
  return {
    ...base(resource, { scope }, { id: `get${singularName(resource)}`, summary: `Show ${describeRow(resource)}` }),
    ...openness(resource, { scope }),
    path: `${apiPath}/${place(resource, widestKey(resource)).path}`,
    parameters: () => rowParameters(resource, true),
    kind: 'get',
    method: 'GET',
  }
}

function readOf(resource: Resource, verb: string, rules: Resource['reads'][string]): Outlined {
  const isForAll = (rules.view ?? 'public') === 'public'
  return {
    ...base(resource, rules, { id: rules.id ?? `get${singularName(resource)}${pascalCase(verb)}`, summary: rules.summary }),
    ...(isForAll && openness(resource, rules)),
    ...(rules.anonymous && { anonymous: rules.anonymous }),
    ...selectable(paged(at(readPlace(resource, verb, rules.byId), rules.parameters), rules), rules),
    kind: 'read',
    method: rules.input ? 'POST' : 'GET',
    rules,
    output: rules.output,
  }
}

const paged = ({ path, parameters }: Place, { pagedBy }: { pagedBy?: string }): Place => ({
  path,
  parameters: pagedBy === undefined ? parameters : () => [...parameters(), ...pageParameters()],
})

/** Adds the parameter that selects members of the response, unless it is a document or needs no selection. */
const selectable = (
  { path, parameters }: Place,
  { input, asHtml, sections }: { input?: unknown; asHtml?: unknown; sections?: unknown },
): Place => ({
  path,
  parameters: (input ?? asHtml ?? sections) ? parameters : () => [...parameters(), fieldsParameter()],
})

function collectionReadOf(resource: Resource, verb: string, rules: Resource['collectionReads'][string]): Outlined {
  return {
    ...base(resource, rules, { id: rules.id ?? `get${pluralName(resource)}${pascalCase(verb)}`, summary: rules.summary }),
    ...(rules.isPublic &&
      (resource.audiences.includes('anonymous')
        ? openness(rules.isPublic === 'full' ? { ...resource, isPartlyPublic: false } : resource, rules)
        : { anonymous: rules.isPublic === 'full' ? ('full' as const) : ('partial' as const), roles: audiences })),
    ...selectable(
      paged(
        at({ path: `${resource.path}/${verb}`, parameters: rules.rows === undefined ? none : () => [csvParameter()] }, rules.parameters),
        rules,
      ),
      rules,
    ),
    kind: 'collectionRead',
    method: rules.input ? 'POST' : 'GET',
    rules,
    output: rules.output,
  }
}

/** @throws Error if the parent's table differs from the declared one, which types the rules */
function parentOf(name: string, under: Exclude<Resource['under'], undefined>): CreateParent {
  const resource = under.resource()
  if (resource.table !== under.table)
    throw new Error(`${name} declares the table ${under.table} for its parent: it must be ${resource.table}`)
  return { resource, column: under.column }
}

/** Returns the operation that is declared, if any. A plain scope verb declares an operation with default rules. */
function withRules<Kind extends Rules>(declared: ScopeVerb | Kind | undefined, make: (rules: Kind) => Outlined): Outlined[] {
  if (declared === undefined) return []
  return [make(typeof declared === 'string' ? ({ scope: declared } as Kind) : declared)]
}
