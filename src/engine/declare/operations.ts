import type { z } from 'zod'
import type { Audience } from '../../base/caller.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { Change, CollectionAction, Creation, Removal } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { AnyRows, Condition } from './expressions.ts'
import type { Parameter } from './parameters.ts'
import type { Action, Resource } from './resource.ts'
import type { Values } from './values.ts'
import type { View } from './views.ts'

export const apiPath = '/api/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Described {
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
