import type { Expression } from 'kysely'
import type { z } from 'zod'
import type { Audience, Caller, PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { Feature } from '../../policy/features.ts'
import type { School } from '../../policy/school.ts'
import type { Writer } from '../../store/database.ts'
import type { MembersOf } from '../output/csvColumns.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { ParameterValues } from '../read/readParameters.ts'
import type { Action, Change, CollectionAction, Columns, Creation, Removal, RowsInBulk } from '../write/writing.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { Expansion } from './expansion.ts'
import type { AnonymousRule, ColumnOf, Condition, Row, Rows, Rule, TableName } from './expressions.ts'
import type { CustomFilter } from './filters.ts'
import type { Representation } from './representation.ts'
import type { Resource } from './resource.ts'
import type { View } from './views.ts'

export interface Presentation {
  school: School
  caller: Caller
  externalServices: ExternalServices
  /** Values of the operation's parameters, by name: what `reading` declares is found here. */
  parameters: ParameterValues
}

/** A field without a column of its own: a column of another name, made from columns, or an expression that the query evaluates. */
export type Derived<Table extends TableName, Value> = {
  write?(value: NoInfer<Value>): Columns<Table>
  /** The column with the id of the file that the field names. */
  file?: string
} & (
  | { column: ColumnOf<Table>; from?: undefined; select?: undefined; of?: undefined }
  | {
      column?: undefined
      from: readonly ColumnOf<Table>[]
      select?: undefined
      of(row: Row<Table> & { seen_as: View }, context: Presentation): Value
    }
  | {
      column?: undefined
      from?: undefined
      select(rows: Rows<Table>, caller: Caller): Expression<unknown>
      of?(selected: never, context: Presentation): Value
    }
)

type CommonField = 'created_at' | 'updated_at'
type Name<Shape> = keyof Shape & string
type FieldOf<Shape> = Name<Shape> | CommonField
type FieldWithoutColumn<Table extends TableName, Shape> = Exclude<Name<Shape>, ColumnOf<Table>>
type FieldWithColumn<Table extends TableName, Shape> = Extract<FieldOf<Shape>, ColumnOf<Table>>
type DerivedFields<Table extends TableName, Shape> = {
  [Field in FieldWithoutColumn<Table, Shape>]: Derived<Table, ValueOf<Shape, Field>>
} & { [Field in Extract<Name<Shape>, ColumnOf<Table>>]?: Derived<Table, ValueOf<Shape, Field>> }
type ValueOf<Shape, Field extends keyof Shape> = Shape[Field] extends z.ZodType ? z.input<Shape[Field]> : never

/** A field that may be sent; only when the row is created, only when it is updated, or only by some roles, where it says so. */
export type Writable<Field extends string> =
  | Field
  | { field: Field; on?: 'create' | 'update'; roles?: readonly Exclude<Audience, 'anonymous'>[] }

/** A field that may be empty, and the column that stands in for it then. */
export interface OrElse<Field extends string, Column extends string> {
  field: Field
  else: Column
}

/** An order of another name than its column, which is never null; only for some, where what it is made of is not for everybody. */
export interface SortBy<Column extends string> {
  name: string
  column: Column
  roles?: readonly Audience[]
}

/** What can be done with a resource, and the scope that it needs. */
export interface Operations<Table extends TableName, Verb extends ScopeVerb> {
  list?: Verb
  get?: Verb
  create?: Verb | Creation<Table, Verb>
  update?: Verb | Change<Table, Verb>
  /** The whole row is sent: what is left out takes its default, or is nothing. */
  replace?: Verb | Change<Table, Verb>
  remove?: Verb | Removal<Table, Verb>
  /** At the address `bulk`: up to a hundred rows, made or changed one after the other. */
  bulk?: RowsInBulk<Verb>
}

/** Where new rows are made: under a row of another resource, whose id goes into the column. */
export interface Under<Table extends TableName> {
  resource(): Resource
  column: ColumnOf<Table>
}

/** Words for one row and for many, as ids of operations write them. */
export interface Called {
  one: string
  many: string
}

/** The same list under each row of another resource. */
export interface ListedUnder<Table extends TableName> {
  resource(): Resource
  /** Which rows belong to the other row. */
  where(rows: Rows<Table>, id: string): Condition
  /** Operation id, where it is not `list`, the other object and the name. */
  id?: string
  /** The end of its address, where that is not this resource's name. */
  at?: string
  /** Its address takes the id of the other row alone, no slug. */
  byId?: true
  /** Not for visitors, although the rows are. */
  isClosed?: true
}

/** A resource as it is written down, always in this order. */
export type Declaration<
  Table extends TableName,
  Verb extends ScopeVerb,
  Shape extends z.ZodRawShape,
  Inputs extends z.ZodRawShape = Record<never, never>,
> = {
  /** Plural, and path where none is named: `courses`; of a singleton: `account`. */
  name: string
  /** Where it stands under `/api/v1`: `school/staff`. */
  path?: string
  /** What one row calls itself: `course`. */
  object: string
  idPrefix: string
  /** What ids of operations call one row and many, where that is shorter than its own names: `plan`, `plans`. */
  called?: Called
  table: Table
  /** Which rows of the table are this resource's, where two resources share it. */
  part?: AnonymousRule<Table>
  /** `me` in the place of an id, where a row is read or changed, names the caller's own row. Null: they have none. */
  me?(caller: PersonCaller): string | null
  /** The column that counts the versions of what this resource shows of its rows, where two resources share a table. */
  versionColumn?: ColumnOf<Table>
  about: string
  /** The sentences of the consent page, or the area of another resource. */
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** What of the school it belongs to: where that is turned off it is not there, but for the staff. */
  feature?: Feature
  /** There is exactly one in the caller's eyes, and its address has no id. */
  singleton?: true
  /** Without a token, a part of what is there is served. */
  anonymous?: 'partial'
  /** Visitors are served only where the row of the school is like this; elsewhere they are refused, as where nothing is open. */
  anonymousWhen?(): Condition
  /** Not what somebody looks for who looks around: no tool for visitors, although some of it is open to them. */
  catalogue?: false
  /** New rows are made under a row of another resource, at its address and this resource's name. */
  under?: Under<Table>
  /** Words that no slug may begin with, beside those of the API. */
  reservedSlugs?: readonly string[]
  /** The form of its `number`, where that names a row beside its id. */
  numberForm?: RegExp
  /** The form of its slugs, where it is not words joined by hyphens. */
  slugForm?: RegExp
  schema: z.ZodObject<Shape>
} & ([FieldWithoutColumn<Table, Shape>] extends [never] ? { derived?: undefined } : { derived: DerivedFields<Table, NoInfer<Shape>> }) & {
    /** What is sent and not answered under the same name, such as a list of ids. `after` of an operation is given it. */
    inputs?: z.ZodObject<Inputs>
    /**
     * The current value of each input that an update takes, read from the fields of the row: an input that is sent with this value changes
     * nothing. Inputs without one are taken when a row is created, and say so with `createOnly`.
     */
    currentInputs?: Readonly<Partial<Record<Name<NoInfer<Inputs>>, (fields: Readonly<Record<string, unknown>>) => unknown>>>
    /** Fields that a client may send. Those without a column say in `derived` how they are written. */
    writable?: readonly Writable<Name<NoInfer<Shape>>>[]
    /** Fields that a new row cannot be without. */
    required?: readonly (Name<NoInfer<Shape>> | Name<NoInfer<Inputs>>)[]
    /** The field that a slug is made of where none is sent. */
    slugFrom?: Name<NoInfer<Shape>>
    /** Parameters of list and get in addition to the framework's. `derived` finds their values in its context. */
    reading?: z.ZodObject
    /** Fields by name (ranges of times and numbers, equality of the rest), `name[exists]`, `name[prefix]`, and filters of its own. */
    filters?: readonly (FieldOf<NoInfer<Shape>> | `${FieldOf<NoInfer<Shape>>}[${'exists' | 'prefix'}]` | CustomFilter<Table>)[]
    /** Columns in which `q` looks: for everybody, or for the school's staff alone. */
    search?: readonly (
      | FieldWithColumn<Table, NoInfer<Shape>>
      | OrElse<FieldWithColumn<Table, NoInfer<Shape>>, ColumnOf<Table>>
      | { staff: ColumnOf<Table> }
    )[]
    /** The first is the order of a list that names none; `-` turns it round. Each can be asked for in both directions. */
    sorts?: readonly (
      | FieldWithColumn<Table, NoInfer<Shape>>
      | `-${FieldWithColumn<Table, NoInfer<Shape>>}`
      | OrElse<FieldWithColumn<Table, NoInfer<Shape>>, ColumnOf<Table>>
      | SortBy<ColumnOf<Table>>
    )[]
    /** The first order for the school's staff, where theirs is another. */
    staffSort?: NoInfer<FieldWithColumn<Table, Shape> | `-${FieldWithColumn<Table, Shape>}`>
    /** Staff can have the list as CSV and NDJSON. */
    exports?: true
    /** The members of a field without fixed ones, such as answers by question: each gets a column of the CSV. */
    csvMembers?: Readonly<Partial<Record<Name<NoInfer<Shape>>, MembersOf>>>
    /** Forms of a row and of the list beside JSON, for everybody who sees them: a calendar. */
    representations?: readonly Representation[]
    /** Rows of other resources that can be put into the answer. */
    expand?: Readonly<Record<string, Expansion<Table>>>
    /** The same list under rows of other resources, at their address and this resource's name. */
    listedUnder?: readonly ListedUnder<Table>[]
    /** Its rows have no addresses of their own: they are listed there alone. */
    isPart?: true
    /** Which rows exist, for whom. */
    visibility: { anonymous: AnonymousRule<Table> } & Record<Exclude<Audience, 'anonymous'>, Rule<Table>>
    /** Rows that stand in no list and are yet readable by who knows their exact id or slug. */
    unlisted?: AnonymousRule<Table>
    /**
     * Rows that a person sees more of: `own` for the person they belong to, `staff` for lecturers. Staff see all of every row.
     * `open` are rows whose own view is everybody's, with or without a token.
     */
    views?: Partial<Record<Exclude<View, 'public'>, Rule<Table>>> & { open?: AnonymousRule<Table> }
    /** Rows of which everybody sees the fields that are marked `gated`. Of any other row they are null in the public view. */
    ungated?: AnonymousRule<Table>
    /** Locks what has to be locked before a row is, so that two who change neighbouring rows never wait for each other. */
    lockFirst?(writer: Writer, row: { schoolId: string; id: string }): Promise<void>
    operations: Operations<Table, NoInfer<Verb>>
    /** What can be read of one row beside the row, by the end of its address. */
    reads?: Readonly<Record<string, RowRead<Table, NoInfer<Verb>>>>
    collectionReads?: Readonly<Record<string, CollectionRead<NoInfer<Verb>>>>
    actions?: Readonly<Record<string, Action<Table, NoInfer<Verb>>>>
    collectionActions?: Readonly<Record<string, CollectionAction<NoInfer<Verb>>>>
    /** Operations that go away, by their id. A field that does says so in its `.meta(deprecated(…))`. */
    deprecations?: Readonly<Record<string, Deprecation>>
  }
