// More than 250 lines: resources refer to each other (expansions, parent lists, rows in responses), so these types share a file.

import type { z } from 'zod'
import type { Audience, PersonCaller } from '../../base/caller.ts'
import type { ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ElementColumns, MembersOf } from '../output/csvColumns.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { CollectionAction, Performed, RowAccess, Writing } from '../write/writing.ts'
import type { Area, ScopeVerb } from './area.ts'
import type { CatalogueView } from './catalogueView.ts'
import type { Deprecation } from './deprecation.ts'
import type { WriteDerived } from './derived.ts'
import type {
  AnyRows,
  AnyRule,
  AnyTable,
  ColumnOf,
  Columns,
  Condition,
  OutputOf,
  ReadRow,
  Row,
  Rows,
  SeenRow,
  Selection,
  TableName,
  Values,
} from './expressions.ts'
import type { Feature } from './features.ts'
import type { Filter } from './filters.ts'
import type { LiveMembers } from './liveMembers.ts'
import type { Representation } from './representation.ts'
import type { Operations } from './rowOperations.ts'
import type { Derivation, RowMember, RowSerializer } from './rowSerializer.ts'
import type { Sort } from './sorts.ts'
import type { View } from './views.ts'

/** The words for one row and for many in operation ids. */
export interface Called {
  one: string
  many: string
}

/** The parent of new rows: a row of another resource, whose id is stored in the column. */
export interface Under<Table extends TableName, Parent extends TableName> {
  resource(): Resource
  /** The table of the parent. It types `parent` in the rules of `create`. */
  table: Parent
  column: ColumnOf<Table>
}

export interface ListedUnder<Table extends TableName> {
  resource(): Resource
  where(rows: Rows<Table>, id: string): Condition
  /** The operation id. Default: `list`, the other object and the name. */
  id?: string
  /** The end of its path. Default: this resource's name. */
  at?: string
  /** True if its path calls the parameter `id`, although it accepts a slug or number as well. */
  byId?: true
  /** True if callers without a token cannot call it, although they see the rows. */
  isClosed?: true
}

export interface AnyListedUnder extends Omit<ListedUnder<never>, 'where'> {
  where(rows: AnyRows, id: string): Condition
}

/**
 * Rows of another resource to include with a row: those whose ids the row contains (one, or a list), or those that refer to the row in a
 * column. If the row names the resource too, `resources` lists all that it may name, and `reference` returns the `object` of one with the
 * id. Other resources are returned by a function, because two resources may refer to each other.
 */
export type Expansion<Table extends TableName> =
  | { resource(): Resource; id(row: ReadRow<Table>): string | null; ids?: undefined; by?: undefined }
  | { resource(): Resource; ids(row: ReadRow<Table>): readonly string[]; id?: undefined; by?: undefined }
  | { resource(): Resource; by: { [Other in TableName]: ColumnOf<Other> }[TableName]; id?: undefined; ids?: undefined }
  | { resources(): readonly Resource[]; reference(row: ReadRow<Table>): RowReference | null }

export interface RowReference {
  object: string
  id: string
}

export type AnyExpansion = ResourceExpansion | AnyResourceExpansion

export interface ResourceExpansion {
  resource(): Resource
  resources?: undefined
  id?: ((row: SeenRow) => string | null) | undefined
  ids?: ((row: SeenRow) => readonly string[]) | undefined
  by?: string | undefined
}

export interface AnyResourceExpansion {
  resources(): readonly Resource[]
  reference(row: SeenRow): RowReference | null
}

export const expandedResources = (expansion: AnyExpansion): readonly Resource[] =>
  expansion.resources ? expansion.resources() : [expansion.resource()]

/** An operation on a row other than changing its fields. Its response is the row by default. */
export interface Action<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = z.ZodRawShape,
  Parameters extends z.ZodRawShape = z.ZodRawShape,
> extends Omit<RowAccess<Verb>, 'view' | 'parameters'> {
  parameters?: z.ZodObject<Parameters>
  /** How much of the row the caller must see. `public`: the action itself checks who may call it. */
  view?: View
  summary: string
  /** Operation id, if it is not the verb and the object. */
  id?: string
  /** Applies to the caller's own row only: its path contains `me` and no id. */
  isOwn?: true
  /** The end of its path, if that is not its name: `authorizations/{id}`. */
  at?: string
  /** The statuses in which it can be called. In another one the response is invalid_state. */
  from?: readonly string[]
  /**
   * The resulting status, which is written if it has a column. With several, `run` chooses one, and documents show the first. A call in one
   * of these statuses does nothing, unless `from` names it.
   */
  to?: string | readonly string[]
  /** The id of an operation that comes before it, without which it has no effect or is not possible. Documented as a link of that one. */
  follows?: string
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** 201 if `perform` creates a row or a part of this one, 204 if the response is empty. */
  status?: 200 | 201 | 202 | 204
  /** The part that it creates may exist already: then the status is 200. */
  isOnce?: true
  /** The request body. Default: an empty object. Use defineAction, which types the functions by it. */
  input?: z.ZodObject<Input>
  /** Returns columns to write in addition to the state, or undefined if there is nothing to do. Throws a Problem if it is not possible. */
  run?(writing: Writing<Parameters>, row: Row<Table>, input: OutputOf<Input>): Promise<Columns<Table> | undefined>
  /** Writes what follows, after the row is written. May return headers. `before` is the row before the action. */
  after?(
    writing: Writing,
    row: Row<Table>,
    change: { before: Row<Table>; input: OutputOf<Input> },
  ): Promise<{ headers: Record<string, string> } | undefined> | Promise<void>
  /** Runs an action whose response is not the row. */
  perform?(writing: Writing<Parameters>, row: Row<Table>, input: OutputOf<Input>): Promise<Performed<Table>>
  /** The response of `perform`, if it is not a row. */
  output?: z.ZodObject
  /** The resource of the row in the response, if it is another one. */
  answers?(): Resource
}

export interface WritableField {
  field: string
  isCreateOnly: boolean
  isUpdateOnly: boolean
  roles: readonly Audience[] | undefined
}

export interface Searched {
  column: string
  /** The column that is searched if the first is empty. */
  otherwise: string | undefined
  isForStaff: boolean
}

/** The members of a declaration, without the types of its table and schema. */
export interface Declared {
  name: string
  object: string
  idPrefix: string
  table: string
  about: string
  undo?: true | string | undefined
  visibility: Readonly<Record<Audience, AnyRule>>
  operations: Operations<'any_table', ScopeVerb, Values, Values, Values, 'any_table'>
  part?: ((rows: AnyRows) => Condition) | undefined
  /** Returns the id of the caller's own row, or null. Undefined if `me` does not identify a row of this resource. */
  me?: ((caller: PersonCaller) => string | null) | undefined
  /** A sentence about what integrations expect and the school does elsewhere. */
  notInApi?: string | undefined
  live?: LiveMembers | undefined
  feature?: Feature | undefined
  /** Returns the condition on the school's row under which callers without a token have access. */
  anonymousWhen?: (() => Condition) | undefined
  under?: { resource(): Resource; table: string; column: string } | undefined
  numberForm?: RegExp | undefined
  slugFrom?: string | undefined
  reading?: z.ZodObject | undefined
  unlisted?: ((rows: AnyRows) => Condition) | undefined
  /** Selects the rows whose gated fields every caller sees. */
  ungated?: ((rows: AnyRows) => Condition) | undefined
  lockFirst?: ((writer: SchoolWriter, row: { id: string }) => Promise<void>) | undefined
  checkCaller?:
    | ((changed: Values, writing: Writing, row?: Row<'any_table'>) => readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>)
    | undefined
}

/** The members that a declaration can leave out. */
export interface Defaulted {
  called: Called
  path: string
  versionColumn: string
  reservedSlugs: readonly string[]
  slugParts: number
  /** The current value of each input that an update takes. */
  currentInputs: Readonly<Record<string, (fields: Values) => unknown>>
  required: readonly string[]
  csvMembers: Readonly<Record<string, MembersOf | ElementColumns>>
  representations: readonly Representation[]
  listedUnder: readonly AnyListedUnder[]
  /** True if its rows have no paths. */
  isPart: boolean
  views: Partial<Record<Exclude<View, 'public'> | 'open', AnyRule>>
  reads: Readonly<Record<string, RowRead<'any_table', ScopeVerb>>>
  collectionReads: Readonly<Record<string, CollectionRead<ScopeVerb>>>
  actions: Readonly<Record<string, Action<'any_table', ScopeVerb>>>
  collectionActions: Readonly<Record<string, CollectionAction<ScopeVerb>>>
  deprecations: Readonly<Record<string, Deprecation>>
}

/** A declaration with its defaults, and what follows from it. */
export interface Resource<Verb extends ScopeVerb = never> extends Declared, Defaulted {
  stateColumn: string
  area: Area<Verb>
  isSingleton: boolean
  /** True if callers without a token get only a part of the rows or fields. */
  isPartlyPublic: boolean
  /** True if visitors can browse it with MCP tools. */
  isInCatalogue: boolean
  catalogue: CatalogueView
  hasSlug: boolean
  /** All fields with their views, including the common fields. */
  schema: z.ZodObject
  inputs: Readonly<Record<string, z.ZodType>>
  schemas: Readonly<Record<View, z.ZodObject>>
  members: Readonly<Record<View, readonly RowMember[]>>
  serializers: Readonly<Record<View, RowSerializer>>
  /** Serializes every field, independent of the caller. */
  serializeWhole: RowSerializer
  columns: readonly string[]
  selections: readonly { field: string; select: Selection<AnyRows> }[]
  derivations: readonly Derivation[]
  /** Functions that return the columns of fields without a column. */
  writers: ReadonlyMap<string, WriteDerived>
  fileFields: readonly { field: string; column: string }[]
  writable: readonly WritableField[]
  /** Fields that the response has only if `expand` names them. */
  onDemand: readonly string[]
  filters: readonly Filter[]
  search: readonly Searched[]
  sorts: readonly Sort[]
  defaultSorts: { everyone: Sort; staff: Sort } | undefined
  isExported: boolean
  expansions: Readonly<Record<string, AnyExpansion>>
  gatedFields: readonly string[]
  /** The audiences that can see any rows, and so may call its operations. */
  audiences: readonly Audience[]
}
