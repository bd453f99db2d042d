import type { z } from 'zod'
import type { Audience, PersonCaller } from '../../base/caller.ts'
import type { ProblemDetail } from '../../base/problem.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ElementColumns, MembersOf } from '../output/csvColumns.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { CollectionAction, Writing } from '../write/writing.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { Derived } from './derived.ts'
import type {
  AnonymousRule,
  ChangedValues,
  ColumnOf,
  CompleteValues,
  Condition,
  NewValues,
  NoMembers,
  Row,
  Rule,
  TableName,
  VisitorRule,
} from './expressions.ts'
import type { Feature } from './features.ts'
import type { CustomFilter } from './filters.ts'
import type { Representation } from './representation.ts'
import type { Action, Called, Expansion, ListedUnder, Under } from './resource.ts'
import type { Operations } from './rowOperations.ts'
import type { View } from './views.ts'

type CommonField = 'created_at' | 'updated_at'
type Name<Shape> = keyof Shape & string
type FieldOf<Shape> = Name<Shape> | CommonField
type FieldWithoutColumn<Table extends TableName, Shape> = Exclude<Name<Shape>, ColumnOf<Table>>
type FieldWithColumn<Table extends TableName, Shape> = Extract<FieldOf<Shape>, ColumnOf<Table>>
/** Fields that can be null and are not times: a list sorted by them would have rows without a place. */
type FieldWithoutOrder<Shape> = {
  [Field in Name<Shape>]: Shape[Field] extends z.ZodNullable<infer Inner> ? (Inner extends z.ZodISODateTime ? never : Field) : never
}[Name<Shape>]
type SortField<Table extends TableName, Shape> = Exclude<FieldWithColumn<Table, Shape>, FieldWithoutOrder<Shape>>
/** Accepts no value: its name states the rule in the error of the compiler. */
type NullableFieldNeedsElse = { 'a field that can be null and is not a time needs { field, else }': never }
/** Accepts no verb: its name states the rule in the error of the compiler. */
type AddTheVerbToScopes = 'read' & { readonly addTheVerbWithItsSentence: never }
type DerivedFields<Table extends TableName, Shape extends z.ZodRawShape> = {
  [Field in FieldWithoutColumn<Table, Shape>]: DerivedField<Table, Shape, Field>
} & { [Field in Extract<Name<Shape>, ColumnOf<Table>>]?: DerivedField<Table, Shape, Field> }
type DerivedField<Table extends TableName, Shape extends z.ZodRawShape, Field extends keyof Shape> = Derived<
  Table,
  z.input<Shape[Field]>,
  z.output<Shape[Field]>
>

/** A field that may be sent: always, or only when the row is created, only when it is updated, or only by some roles. */
export type Writable<Field extends string> =
  | Field
  | { field: Field; on?: 'create' | 'update'; roles?: readonly Exclude<Audience, 'anonymous'>[] }

/** A field that may be empty, and the column that is used instead. */
export interface OrElse<Field extends string, Column extends string> {
  field: Field
  else: Column
}

/** A sort with a different name than its column, which is never null. `roles` limits who can use it. */
export interface SortBy<Column extends string> {
  name: string
  column: Column
  roles?: readonly Audience[]
}

/** The declaration of a resource. The members are always in this order. */
export type Declaration<
  Table extends TableName,
  Verb extends ScopeVerb,
  Shape extends z.ZodRawShape,
  Inputs extends z.ZodRawShape = NoMembers,
  Required extends Name<Shape> | Name<Inputs> = never,
  Parent extends TableName = never,
> = {
  /** The plural name, also the default path: `courses`; for a singleton: `account`. */
  name: string
  /** The path under `/api/v1`: `school/staff`. */
  path?: string
  /** The type name of one row: `course`. */
  object: string
  idPrefix: string
  /** Shorter names for one row and for many in operation ids: `plan`, `plans`. */
  called?: Called
  table: Table
  /** Selects this resource's rows if two resources share the table. */
  part?: AnonymousRule<Table>
  /** Returns the id of the caller's own row, for `me` in place of an id when a row is read or changed. Null: the caller has no row. */
  me?(caller: PersonCaller): string | null
  /** The column with the version of this resource's part of a row, if two resources share a table. */
  versionColumn?: ColumnOf<Table>
  about: string
  /** True if what its operations change can be taken back for some days, or why not. An operation can declare something else. */
  undo?: true | string
  /** A sentence about what integrations expect and the school does elsewhere. Plain ASCII: errors about missing paths contain it. */
  notInApi?: string
  /** The sentences for the consent page, or the area of another resource. */
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** Feature flag of the school: while it is off, only staff see the resource. */
  feature?: Feature
  /** Each caller sees exactly one row, and its path has no id. */
  singleton?: true
  /** Callers without a token get a part of the rows or fields. */
  anonymous?: 'partial'
  /** Allows callers without a token only if this condition on the school's row is true. Otherwise they get access_denied. */
  anonymousWhen?(): Condition
  /**
   * How MCP tools present it to visitors: the fields of a row in a list, and the filters. `false`: it has no tool, even if some rows are
   * public, because visitors do not browse it.
   */
  catalogue?: false | { row: readonly FieldOf<NoInfer<Shape>>[]; filters: readonly string[] }
  /** New rows are created under a row of another resource, at that row's path followed by this resource's name. */
  under?: Under<Table, Parent>
  /** Words that no slug may begin with, in addition to those reserved by the API. */
  reservedSlugs?: readonly string[]
  /** The pattern of `number`, if a row can be identified by its number as well as by its id. */
  numberForm?: RegExp
  /** The number of slugs, joined by slashes, that a slug can have. Default: 1. */
  slugParts?: number
  schema: z.ZodObject<Shape>
} & ([FieldWithoutColumn<Table, Shape>] extends [never] ? { derived?: undefined } : { derived: DerivedFields<Table, NoInfer<Shape>> }) & {
    /**
     * Declares that processes keep the text of its rows, and the members that are read for each request, because they depend on the caller, on
     * the time, or on rows that are not content of the school. `people`: they depend on the caller only for learners.
     */
    live?: Readonly<Partial<Record<Name<NoInfer<Shape>>, 'always' | 'people'>>>
    /** Members of the request body that are not fields of the response, such as a list of ids. Passed to `after` of an operation. */
    inputs?: z.ZodObject<Inputs>
    /**
     * The current value of each input that an update takes, read from the fields of the row: sending this value again has no effect.
     * Inputs without a current value are accepted only when a row is created, and are marked `createOnly`.
     */
    currentInputs?: Readonly<Partial<Record<Name<NoInfer<Inputs>>, (fields: NoInfer<CompleteValues<Shape, NoMembers>>) => unknown>>>
    /** Fields that a client may send. `derived` declares how fields without a column are written. */
    writable?: readonly Writable<Name<NoInfer<Shape>>>[]
    required?: readonly Required[]
    /** The field from which the slug is generated if the request has none. */
    slugFrom?: Name<NoInfer<Shape>>
    /** Parameters of list and get in addition to the framework's. The functions of `derived` get their values in the context. */
    reading?: z.ZodObject
    /** Fields by name (ranges of times and numbers, equality of the rest), `name[exists]`, `name[prefix]`, and custom filters. */
    filters?: readonly (FieldOf<NoInfer<Shape>> | `${FieldOf<NoInfer<Shape>>}[${'exists' | 'prefix'}]` | CustomFilter<Table>)[]
    /** Columns that `q` searches: for everyone, or only for the school's staff. */
    search?: readonly (
      | FieldWithColumn<Table, NoInfer<Shape>>
      | OrElse<FieldWithColumn<Table, NoInfer<Shape>>, ColumnOf<Table>>
      | { staff: ColumnOf<Table> }
    )[]
    /** The sorts of a list. The first is the default; `-` means descending. Each can be used in both directions. */
    sorts?: readonly (
      | NullableFieldNeedsElse
      | SortField<Table, NoInfer<Shape>>
      | `-${SortField<Table, NoInfer<Shape>>}`
      | OrElse<FieldWithColumn<Table, NoInfer<Shape>>, ColumnOf<Table>>
      | SortBy<ColumnOf<Table>>
    )[]
    staffSort?: NoInfer<SortField<Table, Shape> | `-${SortField<Table, Shape>}`>
    /** Staff can export the list as CSV and NDJSON. */
    exports?: true
    /** The members of a field whose members vary, such as answers by question: each becomes a column of the CSV. */
    csvMembers?: Readonly<Partial<Record<Name<NoInfer<Shape>>, MembersOf | ElementColumns>>>
    /** Formats of a row and of the list in addition to JSON, such as a calendar, for every caller who sees the rows. */
    representations?: readonly Representation[]
    expand?: Readonly<Record<string, Expansion<Table>>>
    /** The same list under rows of other resources, at their path followed by this resource's name. */
    listedUnder?: readonly ListedUnder<Table>[]
    /** Its rows have no paths: they are only listed under other rows. */
    isPart?: true
    /** The rows that exist for each audience. */
    visibility: { anonymous: VisitorRule<Table> } & Record<Exclude<Audience, 'anonymous'>, Rule<Table>>
    /** Rows that are absent from lists but readable by callers who know their exact id or slug. */
    unlisted?: AnonymousRule<Table>
    /**
     * Rows of which a person sees more: `own` for the person they belong to, `staff` for lecturers. Staff see every field of every row.
     * `open` rows are shown in the own view to every caller, with or without a token.
     */
    views?: Partial<Record<Exclude<View, 'public'>, Rule<Table>>> & { open?: AnonymousRule<Table> }
    /** Rows whose `gated` fields every caller sees. In other rows these fields are null in the public view. */
    ungated?: AnonymousRule<Table>
    /** Locks what must be locked before the row, so that concurrent changes of related rows do not deadlock. */
    lockFirst?(writer: SchoolWriter, row: { id: string }): Promise<void>
    /**
     * Returns errors for the fields and inputs in `changed` that this caller may not write, in addition to `roles` of `writable`. Without `row`, it is
     * new. Runs for each write, and for taking back what changes the same fields. May throw Problem access_denied.
     */
    checkCaller?(
      changed: NoInfer<ChangedValues<Shape, Inputs>>,
      writing: Writing,
      row?: Row<NoInfer<Table>>,
    ): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
    operations: Operations<
      NoInfer<Table>,
      AddTheVerbToScopes | NoInfer<Verb>,
      NoInfer<NewValues<Shape, Inputs, Required>>,
      NoInfer<CompleteValues<Shape, Inputs>>,
      NoInfer<ChangedValues<Shape, Inputs>>,
      NoInfer<Parent>
    >
    /** Reads of one row in addition to the row itself, by the end of their path. */
    reads?: Readonly<Record<string, RowRead<NoInfer<Table>, AddTheVerbToScopes | NoInfer<Verb>>>>
    collectionReads?: Readonly<Record<string, CollectionRead<AddTheVerbToScopes | NoInfer<Verb>>>>
    actions?: Readonly<Record<string, Action<NoInfer<Table>, AddTheVerbToScopes | NoInfer<Verb>>>>
    collectionActions?: Readonly<Record<string, CollectionAction<AddTheVerbToScopes | NoInfer<Verb>>>>
    /** Deprecated operations, by id. Deprecated fields are marked with `.meta(deprecated(…))`. */
    deprecations?: Readonly<Record<string, Deprecation>>
  }
