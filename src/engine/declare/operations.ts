import { z } from 'zod'
import type { Audience, Caller } from '../../base/caller.ts'
import { exampleId, fromPublicId } from '../../base/ids.ts'
import { Problem, type ProblemCode } from '../../base/problem.ts'
import { normalizedSlug } from '../../base/text/slugText.ts'
import type { AskReason } from '../../database/undo/effect.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { Change, CollectionAction, Creation, Removal } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { AnyRows, Condition, Values } from './expressions.ts'
import { isSlugPath } from './fields.ts'
import { acceptedKey, type KeyName, maxFilterValues, type Parameter } from './parameters.ts'
import type { RowKey } from './queryScope.ts'
import type { Action, Resource } from './resource.ts'
import { isArray, isObjectSchema, isOnDemand, membersOf, unwrapped, type View } from './views.ts'

export const apiPath = '/api/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

interface Described {
  /** The operation id: `listCourses`. */
  id: string
  method: Method
  /** The path template: `/api/v1/courses/{id_or_slug}`. */
  path: string
  summary: string
  /** The access of callers without a token: `full` for the public view of everything, `partial` for a part of it. */
  anonymous: 'full' | 'partial' | 'none'
  /** The roles that can call it. Other roles get access_denied with any token. */
  roles: readonly Audience[]
  parameters: readonly Parameter[]
  successStatus: 200 | 201 | 202 | 204 | 207
  deprecation?: Deprecation
}

interface Common extends Described {
  resource: Resource
  scope: string
}

interface OnRow {
  /** The narrowest view of the row that allows the caller to change it. */
  view: View
  /** True if every request needs If-Match, or the members of the body with which a request needs it. */
  needsIfMatch: boolean | readonly string[]
}

export interface ListParent {
  resource: Resource
  where(rows: AnyRows, id: string): Condition
}

export interface CreateParent {
  resource: Resource
  column: string
}

/** An operation, derived from a resource. The REST route and the MCP tool are two ways to call it. */
export type Operation = Common &
  (
    | { kind: 'list'; parent?: ListParent | undefined }
    | { kind: 'get' }
    | { kind: 'read'; rules: RowRead<'any_table', ScopeVerb>; output: z.ZodObject }
    | { kind: 'collectionRead'; rules: CollectionRead<ScopeVerb>; output: z.ZodObject }
    | { kind: 'create'; rules: Creation<'any_table', ScopeVerb, Values, 'any_table'>; parent?: CreateParent | undefined }
    | ({ kind: 'update' | 'replace'; rules: Change<'any_table', ScopeVerb> } & OnRow)
    | ({ kind: 'remove'; rules: Removal<'any_table', ScopeVerb> } & OnRow)
    | ({ kind: 'action'; rules: Action<'any_table', ScopeVerb>; name: string; input: z.ZodObject | undefined } & OnRow)
    | { kind: 'collection'; rules: CollectionAction<ScopeVerb>; name: string }
  )

/** Says when a request needs If-Match: `If-Match required with blocks`. Empty if it never does. */
export function ifMatchText(operation: Operation): string {
  const needs = 'needsIfMatch' in operation && operation.needsIfMatch
  if (!needs) return ''
  return needs === true ? 'If-Match required' : `If-Match required with ${needs.join(', ')}`
}

/** Returns the member that identifies the elements of the list that a read returns in pages; undefined if it does not. */
export const pagedBy = (operation: Operation): string | undefined =>
  operation.kind === 'read' || operation.kind === 'collectionRead' ? operation.rules.pagedBy : undefined

/** True if the response is streamed: it has no ETag. */
export const isStreamed = (operation: Operation): boolean => operation.kind === 'read' && operation.rules.sections !== undefined

export const resourceInResponse = (operation: Operation): Resource =>
  (operation.kind === 'action' && operation.rules.answers?.()) || operation.resource

/** Describes what a read returns: rows are described by their resource, other results by the operation's own declaration. */
export function aboutRead(operation: Operation): string {
  if (operation.kind === 'list' || operation.kind === 'get') return operation.resource.about
  return operation.kind === 'collectionRead' ? (operation.rules.about ?? '') : ''
}

export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>

/** A resource among the types of an operation, with the scope that allows reading it. */
export interface ReadType {
  resource: Resource
  scope: string
}

/** An operation that lists facts about rows of several types. It belongs to no resource: each type needs a scope. */
export interface AcrossTypes extends Described {
  tag: { name: string; description: string }
  description: string
  listed: string
  errors: readonly ProblemCode[]
  types: ReadonlyMap<string, ReadType>
}

/**
 * Checks that the caller has the scope of each of these types.
 * @throws Problem access_denied if the caller's role cannot have one of the scopes
 * @throws Problem insufficient_scope with the scopes of all these types
 */
export function requireTypes({ types }: AcrossTypes, names: readonly string[], caller: Caller & { kind: 'person' }): void {
  const scopes = names.map((name) => types.get(name)?.scope ?? '')
  if (scopes.some((scope) => caller.withheldScopes?.has(scope))) throw new Problem('access_denied')
  if (!scopes.every((scope) => caller.scopes.has(scope))) {
    throw new Problem('insufficient_scope', {
      description: 'Each type needs the read scope of its resource.',
      requiredScopes: [...new Set(scopes)],
    })
  }
}

/** Returns true if what an operation changes can be taken back for some days, or why not. */
export const undoOf = (operation: Operation): true | string =>
  ('rules' in operation && 'undo' in operation.rules && operation.rules.undo) || operation.resource.undo || undeclared

/** The result of `undoOf` for an operation that declares nothing. */
export const undeclared = 'It is not declared.'

/** Returns why the person decides first about every request of an operation; undefined if that depends on how much it changes. */
export const asksFirstOf = (operation: Operation): AskReason | undefined =>
  'rules' in operation && 'asksFirst' in operation.rules ? operation.rules.asksFirst : undefined

export const exampleRow = ({ schema, object, idPrefix }: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(membersOf(schema)).flatMap(([name, field]) => {
      if (name === 'object') return [[name, object]]
      if (name === 'id') return [[name, exampleId(idPrefix)]]
      const example = isOnDemand(field) ? undefined : exampleValue(field)
      return example === undefined ? [] : [[name, example]]
    }),
  )

export function exampleBody({ schema, inputs, writable, required }: Resource, isNew: boolean): Record<string, unknown> {
  const changing = writable.filter(({ isCreateOnly }) => !isCreateOnly).map(({ field }) => field)
  const fields = isNew ? required : changing.slice(0, 1)
  return Object.fromEntries(
    fields.map((field) => {
      const { example, idPrefix } = (inputs[field] ?? membersOf(schema)[field])?.meta() ?? {}
      return [field, example ?? (idPrefix === undefined ? null : exampleId(idPrefix))]
    }),
  )
}

export function exampleRequest(operation: Operation): Record<string, unknown> {
  if (operation.kind === 'collection') return exampleObject(operation.rules.input)
  if (operation.kind !== 'action' && 'rules' in operation && 'input' in operation.rules && operation.rules.input)
    return exampleObject(operation.rules.input)
  if (operation.kind === 'action') return operation.input ? exampleObject(operation.input) : {}
  return exampleBody(operation.resource, operation.kind !== 'update')
}

/** Returns an example of an object other than a row, made of the examples of its members. */
export const exampleObject = (schema: z.ZodObject): Record<string, unknown> => Object(exampleValue(schema))

/** Returns an example of a value; objects are made of the examples of their members, and null stays null. */
export function exampleValue(field: z.ZodType): unknown {
  const { example, idPrefix } = field.meta() ?? {}
  if (example === undefined && idPrefix !== undefined) return exampleId(idPrefix)
  const inner = unwrapped(field)
  // Where a list must not be empty, an empty example means a list of one example element.
  if (isArray(inner) && Array.isArray(example) && !inner.safeParse(example).success && example.length === 0)
    return [exampleValue(inner.element)]
  if (inner instanceof z.ZodLiteral) return inner.value
  if (example === null || !isObjectSchema(inner)) return example
  const members = Object.entries(membersOf(inner)).map(([name, member]) => [name, exampleValue(member)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** Reads the key of a row; returns undefined for other texts. Slugs do not contain an underscore, so the ids of other resources are not slugs. */
export function rowKeyIn({ idPrefix, slugParts, numberForm }: Resource, text: string, accepts: KeyName): RowKey | undefined {
  const id = fromPublicId(idPrefix, text)
  if (id !== undefined) return { column: 'id', value: id }
  const slug = accepts === 'id_or_slug' ? normalizedSlug(text) : ''
  if (isSlugPath(slug, slugParts)) return { column: 'slug', value: slug }
  return accepts === 'id_or_number' && numberForm?.test(text) ? { column: 'number', value: text } : undefined
}

export const keyForms = ({ idPrefix }: Resource, accepts: KeyName): string => `an id (${idPrefix}_ and 26 characters)${others[accepts]}`

const others = {
  id: '',
  id_or_slug: ' or a slug (lower-case words joined by hyphens)',
  id_or_me: ' or me',
  id_or_number: ' or its number',
} as const satisfies Record<KeyName, string>

/** Says which keys a filter by the rows of this resource takes: `Id or slug of the course.` */
export const aboutKeys = (target: Resource): string =>
  `Id or ${acceptedKey(target) === 'id_or_slug' ? 'slug' : 'number'} of the ${target.object.replaceAll('_', ' ')}.`

/** Makes a filter by id also take the slug or number of the row, if the row has one. */
export function withKeys(parameter: Parameter, resources: readonly Resource[]): Parameter {
  const { schema, filter, description } = parameter
  const prefix = parameter.in === 'query' ? (filter?.filter.idPrefix ?? schema.meta()?.idPrefix) : undefined
  // Resources can share a prefix: the first one declares the rows, the others parts of them.
  const target = resources.find(({ idPrefix, isSingleton }) => idPrefix === prefix && !isSingleton)
  const accepts = target && acceptedKey(target)
  if (!target || accepts === undefined || accepts === 'id') return parameter
  const key = z
    .string()
    .max(200)
    .refine((text) => rowKeyIn(target, text, accepts) !== undefined, `must be ${keyForms(target, accepts)}`)
    .meta({ idPrefix: target.idPrefix })
  const keys = isArray(schema) ? z.array(key).min(1).max(maxFilterValues) : key
  return { ...parameter, target, schema: keys, description: `${description} ${aboutKeys(target)}` }
}
