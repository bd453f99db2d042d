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
  /** Whether a caller without a token is served: with the public view of all that is there, or of a part. */
  anonymous: 'full' | 'partial' | 'none'
  /** Who it is of any use to: a caller of another role is refused whatever the token says. */
  roles: readonly Audience[]
  parameters: readonly Parameter[]
  successStatus: 200 | 201 | 202 | 204 | 207
  /** Where it goes away. */
  deprecation?: Deprecation
}

interface Common extends Described {
  resource: Resource
  scope: string
}

interface OnRow {
  /** How much of the row one must see to touch it. */
  view: View
  needsIfMatch: boolean
}

/** A row of another resource, under which rows are listed. */
export interface ListParent {
  resource: Resource
  /** Which rows of the list are its own. */
  where(rows: AnyRows, id: string): Condition
}

/** A row of another resource, under which a row is made. */
export interface CreateParent {
  resource: Resource
  /** The column of the new row that names it. */
  column: string
}

/** One thing that can be done, derived from a resource. A route and a tool are this, seen through two doors. */
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

/** Whose row is answered, where a row is: of an action it may be another resource's. */
export const resourceAnswered = (operation: Operation): Resource =>
  (operation.kind === 'action' && operation.rules.answers?.()) || operation.resource

/** Describes what a read returns: rows are described by their resource, other results by the operation's own declaration. */
export function aboutRead(operation: Operation): string {
  if (operation.kind === 'list' || operation.kind === 'get') return operation.resource.about
  return operation.kind === 'collectionRead' ? (operation.rules.about ?? '') : ''
}

export type OperationOf<Kind extends Operation['kind']> = Extract<Operation, { kind: Kind }>
