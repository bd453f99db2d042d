import type { Expression } from 'kysely'
import type { z } from 'zod'
import type { Audience, Caller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import type { Area, ScopeText, ScopeVerb } from './area.ts'
import type { Expansion } from './expansion.ts'
import type { AnonymousRule, ColumnOf, Row, Rows, Rule, TableName } from './expressions.ts'
import type { CustomFilter } from './filters.ts'
import type { View } from './views.ts'
import type { Action, Change, CollectionAction, Columns, Creation, Removal } from './writing.ts'

export interface Presentation {
  school: School
  caller: Caller
}

/** A field without a column of its own: made from columns, or from an expression that the query evaluates. */
export type Derived<Table extends TableName, Value> = { write?(value: NoInfer<Value>): Columns<Table> } & (
  | { from: readonly ColumnOf<Table>[]; select?: undefined; of(row: Row<Table>, context: Presentation): Value }
  | { from?: undefined; select(rows: Rows<Table>, caller: Caller): Expression<unknown>; of?(selected: never, context: Presentation): Value }
)

type CommonField = 'created_at' | 'updated_at'
type Name<Shape> = keyof Shape & string
type FieldOf<Shape> = Name<Shape> | CommonField
type FieldWithoutColumn<Table extends TableName, Shape> = Exclude<Name<Shape>, ColumnOf<Table>>
type FieldWithColumn<Table extends TableName, Shape> = Extract<FieldOf<Shape>, ColumnOf<Table>>
type DerivedFields<Table extends TableName, Shape> = {
  [Field in FieldWithoutColumn<Table, Shape>]: Derived<Table, Shape[Field] extends z.ZodType ? z.input<Shape[Field]> : never>
}

/** A field that may be sent; only when the row is made, or only by some roles, where it says so. */
export type Writable<Field extends string> = Field | { field: Field; on?: 'create'; roles?: readonly Exclude<Audience, 'anonymous'>[] }

/** What can be done with a resource, and the scope that it needs. */
export interface Operations<Table extends TableName, Verb extends ScopeVerb> {
  list?: Verb
  get?: Verb
  create?: Verb | Creation<Table, Verb>
  update?: Verb | Change<Table, Verb>
  remove?: Verb | Removal<Table, Verb>
}

/** A resource as it is written down, always in this order. */
export type Declaration<Table extends TableName, Verb extends ScopeVerb, Shape extends z.ZodRawShape> = {
  /** Plural and path: `courses`; of a singleton: `account`. */
  name: string
  /** What one row calls itself: `course`. */
  object: string
  idPrefix: string
  table: Table
  about: string
  /** The sentences of the consent page, or the area of another resource. */
  scopes: Readonly<Record<Verb, ScopeText>> | Area<Verb>
  /** There is exactly one in the caller's eyes, and its address has no id. */
  singleton?: true
  schema: z.ZodObject<Shape>
} & ([FieldWithoutColumn<Table, Shape>] extends [never] ? { derived?: undefined } : { derived: DerivedFields<Table, NoInfer<Shape>> }) & {
    /** What is sent and not answered under the same name, such as a list of ids. `after` of an operation is given it. */
    inputs?: z.ZodObject
    /** Fields that a client may send. Those without a column say in `derived` how they are written. */
    writable?: readonly Writable<Name<NoInfer<Shape>>>[]
    /** Fields that a new row cannot be without. */
    required?: readonly Name<NoInfer<Shape>>[]
    /** The field that a slug is made of where none is sent. */
    slugFrom?: Name<NoInfer<Shape>>
    /** Fields by name (ranges of times and numbers, equality of the rest), `name[exists]`, `name[prefix]`, and filters of its own. */
    filters?: readonly (
      | FieldWithColumn<Table, NoInfer<Shape>>
      | `${FieldWithColumn<Table, NoInfer<Shape>>}[${'exists' | 'prefix'}]`
      | CustomFilter<Table>
    )[]
    /** Columns in which `q` looks. */
    search?: readonly FieldWithColumn<Table, NoInfer<Shape>>[]
    /** The first is the order of a list that names none; `-` turns it round. Each can be asked for in both directions. */
    sorts?: readonly (FieldWithColumn<Table, NoInfer<Shape>> | `-${FieldWithColumn<Table, NoInfer<Shape>>}`)[]
    /** The first order for the school's staff, where theirs is another. */
    staffSort?: NoInfer<FieldWithColumn<Table, Shape> | `-${FieldWithColumn<Table, Shape>}`>
    /** Staff can have the list as CSV and NDJSON. */
    exports?: true
    /** Rows of other resources that can be put into the answer. */
    expand?: Readonly<Record<string, Expansion<Table>>>
    /** Which rows exist, for whom. */
    visibility: { anonymous: AnonymousRule<Table> } & Record<Exclude<Audience, 'anonymous'>, Rule<Table>>
    /** Rows that stand in no list and are yet readable by who knows their exact id or slug. */
    unlisted?: AnonymousRule<Table>
    /** Rows that a person sees more of: `own` for the person they belong to, `staff` for lecturers. Staff see all of every row. */
    views?: Partial<Record<Exclude<View, 'public'>, Rule<Table>>>
    operations: Operations<Table, NoInfer<Verb>>
    actions?: Readonly<Record<string, Action<Table, NoInfer<Verb>>>>
    collectionActions?: Readonly<Record<string, CollectionAction<NoInfer<Verb>>>>
  }
