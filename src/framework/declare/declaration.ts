import type { z } from 'zod'
import type { Audience, PersonCaller } from '../../policy/caller.ts'
import type { Feature } from '../../policy/features.ts'
import type { Writer } from '../../store/database.ts'
import type { MembersOf } from '../output/csvColumns.ts'
import type { CollectionRead, RowRead } from '../read/reading.ts'
import type { CollectionAction } from '../write/writing.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import type { Deprecation } from './deprecation.ts'
import type { Derived } from './derived.ts'
import type { AnonymousRule, ColumnOf, Condition, Rule, TableName } from './expressions.ts'
import type { CustomFilter } from './filters.ts'
import type { Representation } from './representation.ts'
import type { Action, Called, Expansion, ListedUnder, Under } from './resource.ts'
import type { Operations } from './rowOperations.ts'
import type { ChangedValues, CompleteValues, NewValues, NoMembers } from './values.ts'
import type { View } from './views.ts'

type CommonField = 'created_at' | 'updated_at'
type Name<Shape> = keyof Shape & string
type FieldOf<Shape> = Name<Shape> | CommonField
type FieldWithoutColumn<Table extends TableName, Shape> = Exclude<Name<Shape>, ColumnOf<Table>>
type FieldWithColumn<Table extends TableName, Shape> = Extract<FieldOf<Shape>, ColumnOf<Table>>
type DerivedFields<Table extends TableName, Shape extends z.ZodRawShape> = {
  [Field in FieldWithoutColumn<Table, Shape>]: DerivedField<Table, Shape, Field>
} & { [Field in Extract<Name<Shape>, ColumnOf<Table>>]?: DerivedField<Table, Shape, Field> }
type DerivedField<Table extends TableName, Shape extends z.ZodRawShape, Field extends keyof Shape> = Derived<
  Table,
  z.input<Shape[Field]>,
  z.output<Shape[Field]>
>

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

/** A resource as it is written down, always in this order. */
export type Declaration<
  Table extends TableName,
  Verb extends ScopeVerb,
  Shape extends z.ZodRawShape,
  Inputs extends z.ZodRawShape = NoMembers,
  Required extends Name<Shape> | Name<Inputs> = never,
  Parent extends TableName = never,
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
  under?: Under<Table, Parent>
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
    currentInputs?: Readonly<Partial<Record<Name<NoInfer<Inputs>>, (fields: NoInfer<CompleteValues<Shape, NoMembers>>) => unknown>>>
    /** Fields that a client may send. Those without a column say in `derived` how they are written. */
    writable?: readonly Writable<Name<NoInfer<Shape>>>[]
    /** Fields that a new row cannot be without. */
    required?: readonly Required[]
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
    operations: Operations<
      NoInfer<Table>,
      NoInfer<Verb>,
      NoInfer<NewValues<Shape, Inputs, Required>>,
      NoInfer<CompleteValues<Shape, Inputs>>,
      NoInfer<ChangedValues<Shape, Inputs>>,
      NoInfer<Parent>
    >
    /** What can be read of one row beside the row, by the end of its address. */
    reads?: Readonly<Record<string, RowRead<NoInfer<Table>, NoInfer<Verb>>>>
    collectionReads?: Readonly<Record<string, CollectionRead<NoInfer<Verb>>>>
    actions?: Readonly<Record<string, Action<NoInfer<Table>, NoInfer<Verb>>>>
    collectionActions?: Readonly<Record<string, CollectionAction<NoInfer<Verb>>>>
    /** Operations that go away, by their id. A field that does says so in its `.meta(deprecated(…))`. */
    deprecations?: Readonly<Record<string, Deprecation>>
  }
