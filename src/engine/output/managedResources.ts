import { z } from 'zod'
import type { Audience } from '../../base/caller.ts'
import { onFirstUse } from '../../base/process/lazily.ts'
import { toWords } from '../declare/operationNames.ts'
import { asksFirstOf, type Operation } from '../declare/operations.ts'
import type { Parameter } from '../declare/parameters.ts'
import type { Resource } from '../declare/resource.ts'
import { isArray, membersOf, unwrapped, viewOf } from '../declare/views.ts'
import { type FieldRules, operationInput } from './operationInput.ts'

/** A resource as the pages of the school show it: what follows from its operations. */
export interface ManagedResource {
  name: string
  object: string
  /** Its path in the API: `school/staff`. */
  path: string
  idPrefix: string
  /** Its English name for people: `Plans`. */
  title: string
  isSingleton: boolean
  /** Undefined if its rows are only listed with another one. */
  list: ManagedList | undefined
  get: { id: string; parameter: string | undefined; roles: readonly Audience[]; expand: readonly string[] } | undefined
  operations: readonly ManagedOperation[]
  /** The fields of a row, with those that only the staff see. */
  fields: Readonly<Record<string, ManagedField>>
}

export interface ManagedList {
  id: string
  roles: readonly Audience[]
  filters: readonly ManagedFilter[]
  sorts: readonly string[]
  isSearched: boolean
  isExported: boolean
  expand: readonly string[]
}

export interface ManagedFilter {
  name: string
  /** The values that a person chooses from; empty if there are too many. */
  options: readonly string[]
  /** The prefix of the ids that it takes. */
  idPrefix: string | undefined
}

export interface ManagedField {
  kind: 'money' | 'time' | 'choice' | 'number' | 'other'
  isForStaff: boolean
}

export interface ManagedOperation {
  id: string
  kind: Operation['kind']
  /** Its English name on a button: `Publish`. */
  label: string
  roles: readonly Audience[]
  /** The statuses in which it can be called; undefined for all. */
  from: readonly string[] | undefined
  /** The parameters of its path, and the members of its body. */
  parameters: readonly string[]
  fields: Readonly<Record<string, FieldRules>>
  /** True if it takes a file of rows. */
  takesCsv: boolean
  /** True if it belongs to the collection, and not to a row. */
  isOnCollection: boolean
  /** True if it takes something away. */
  isDestructive: boolean
  /** True if it concerns access, money or what cannot be restored: the person proves who they are first. */
  isSensitive: boolean
  /** Returns the current value of a member of the body. */
  currentOf(name: string, row: Readonly<Record<string, unknown>>): unknown
}

/** Members of rows that name people and things, with which a row without a title is named. */
const naming = ['student', 'member', 'course', 'plan', 'event', 'product']

/** Returns the resources of the operations that the staff of a school may call, by name. What belongs to the caller alone is not among them. */
export function managedResources(operations: readonly Operation[]): ReadonlyMap<string, ManagedResource> {
  // A row that is created under another one belongs to its pages.
  const byResource = Map.groupBy(operations, (one) => (one.kind === 'create' && one.parent ? one.parent.resource : one.resource))
  const shown = [...byResource].filter(([{ name }, own]) => name !== 'account' && own.some((one) => one.kind === 'get' || isWholeList(one)))
  return new Map(shown.map(([resource, own]) => [resource.name, managedResource(resource, own)]))
}

const isWholeList = ({ kind, path }: Operation): boolean => kind === 'list' && !path.includes('{')

/** Parameters and inputs are created when a page first needs them: few processes show a page of every resource. */
function managedResource(resource: Resource, operations: readonly Operation[]): ManagedResource {
  const { name, object, path, idPrefix, isSingleton, called, expansions, schema } = resource
  const expand = naming.filter((one) => Object.hasOwn(expansions, one))
  const made = onFirstUse(() => {
    const get = operations.find(({ kind }) => kind === 'get')
    const list = operations.find(isWholeList)
    return {
      list: list && managedList(resource, list, expand),
      get: get && { id: get.id, roles: get.roles, parameter: get.parameters.find((one) => one.in === 'path')?.name, expand },
      operations: operations.flatMap((one) => managedOperation(resource, one)),
      fields: Object.fromEntries(Object.entries(membersOf(schema)).map(([field, member]) => [field, managedField(member)])),
    }
  })
  return {
    ...{ name, object, path, idPrefix, isSingleton },
    title: capital(toWords(called.many)),
    get list() {
      return made().list
    },
    get get() {
      return made().get
    },
    get operations() {
      return made().operations
    },
    get fields() {
      return made().fields
    },
  }
}

function managedList({ isExported, search }: Resource, { id, roles, parameters }: Operation, expand: readonly string[]): ManagedList {
  const sorts = parameters.find((one) => one.name === 'sort')?.schema
  return {
    ...{ id, roles, isExported, expand, isSearched: search.length > 0 },
    filters: parameters.flatMap((one) => (one.filter ? [{ name: one.name, ...choicesOf(one) }] : [])),
    sorts: sorts instanceof z.ZodEnum ? sorts.options.map(String) : [],
  }
}

function choicesOf({ schema, filter }: Parameter): Omit<ManagedFilter, 'name'> {
  const value = isArray(schema) ? unwrapped(schema.element) : unwrapped(schema)
  const options = value instanceof z.ZodEnum ? value.options.map(String) : value instanceof z.ZodBoolean ? ['true', 'false'] : []
  return { options, idPrefix: filter?.filter.idPrefix ?? filter?.filter.value.meta()?.idPrefix }
}

const managedField = (schema: z.ZodType): ManagedField => {
  const inner = unwrapped(schema)
  const isMoney = inner instanceof z.ZodObject && Object.keys(inner.shape).sort().join() === 'amount,currency'
  const kind =
    inner instanceof z.ZodISODateTime ? 'time' : inner instanceof z.ZodEnum ? 'choice' : inner instanceof z.ZodNumber ? 'number' : 'other'
  return { kind: isMoney ? 'money' : kind, isForStaff: viewOf(schema) === 'staff' }
}

function managedOperation(resource: Resource, operation: Operation): ManagedOperation[] {
  const { id, kind, roles, path } = operation
  if (!['create', 'update', 'remove', 'action', 'collection'].includes(kind) || path.includes('/me/') || path.endsWith('/me')) return []
  if (!roles.some((role) => role === 'staff' || role === 'lecturer')) return []
  const takesFile = operation.kind === 'create' && operation.rules.takes !== undefined
  if (takesFile) return []
  const { parameters, fields } = operationInput(operation)
  const from = 'rules' in operation && 'from' in operation.rules ? operation.rules.from : undefined
  const isEnd = /^(?:cancel|revoke|suspend|block|remove|reset|archive)/.test(id)
  return [
    {
      ...{ id, kind, roles, from, parameters, fields },
      label: labelOf(id, resource),
      takesCsv: operation.kind === 'collection' && operation.rules.csv !== undefined,
      isOnCollection: parameters.length === 0 && !resource.isSingleton,
      isSensitive: ['access', 'money', 'irreversible'].includes(asksFirstOf(operation) ?? ''),
      isDestructive: kind === 'remove' || (kind === 'action' && isEnd),
      currentOf: (name, row) => resource.currentInputs[name]?.(row) ?? row[name],
    },
  ]
}

/** Returns the words of an operation id without those of its object: `publishCourse` → `Publish`. */
function labelOf(id: string, { called }: Resource): string {
  const words = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  const others = words.replace(` ${toWords(called.many)}`, '').replace(` ${toWords(called.one)}`, '')
  return capital(others.trim())
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)
