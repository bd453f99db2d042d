import type { z } from 'zod'
import type { Audience } from '../../policy/caller.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { Change, CollectionAction, Creation, Removal } from '../write/writing.ts'
import type { ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { AnyRows, Condition } from './expressions.ts'
import type { Parameter } from './parameters.ts'
import type { Action, Resource } from './resource.ts'
import type { Values } from './values.ts'
import type { View } from './views.ts'

/** The base path of every operation of the school's API. */
export const apiPath = '/api/v1'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The documented facts about an operation. */
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
  /** Set if the operation is deprecated. */
  deprecation?: Deprecation
}

interface Common extends Described {
  resource: Resource
  scope: string
}

interface OnRow {
  /** The narrowest view of the row that allows the caller to change it. */
  view: View
  needsIfMatch: boolean
}

/** The parent resource of a list. */
export interface ListParent {
  resource: Resource
  /** Selects the rows of the list that belong to the parent. */
  where(rows: AnyRows, id: string): Condition
}

/** The parent resource of a created row. */
export interface CreateParent {
  resource: Resource
  /** The column of the new row that holds the id of the parent. */
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

/** True if the response is streamed: it has no ETag. */
export const isStreamed = (operation: Operation): boolean => operation.kind === 'read' && operation.rules.sections !== undefined

/** Returns the resource of the row in the response. An action may return a row of another resource. */
export const resourceAnswered = (operation: Operation): Resource =>
  (operation.kind === 'action' && operation.rules.answers?.()) || operation.resource

/** Describes what a read returns: rows are described by their resource, other results by the operation's own declaration. */
export function aboutRead(operation: Operation): string {
  if (operation.kind === 'list' || operation.kind === 'get') return operation.resource.about
  return operation.kind === 'collectionRead' ? (operation.rules.about ?? '') : ''
}

export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>
