import type { Updateable } from 'kysely'
import type { z } from 'zod'
import type { DB } from '../gen/kysely/tables.ts'
import type { ProblemDetail } from '../lib/problem.ts'
import type { Audience, PersonCaller } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import type { Writer } from '../store/database.ts'
import type { Sql } from '../store/sql.ts'
import type { ScopeVerb } from './area.ts'
import type { Row, TableName } from './expressions.ts'
import type { View } from './views.ts'

/** What a rule of the school is given while something is written, inside the one transaction. */
export interface Writing {
  /** Raw SQL in the same transaction, as `bulk` needs it. */
  sql: Sql
  /** The only handle that may be awaited here. */
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
}

export type Columns<Table extends TableName> = Partial<Updateable<DB[Table]>>

/** Fields as the API writes them: what was sent over what is there. */
export type Values = Readonly<Record<string, unknown>>

/** Who may call, and which rows they may touch. */
export interface Access<Verb extends ScopeVerb> {
  scope: Verb
  /** Whom it is for at all. Without it: everybody who can use the scope. */
  roles?: readonly Exclude<Audience, 'anonymous'>[]
}

/** Of an operation on a row: how much of the row one must see to touch it. */
export interface RowAccess<Verb extends ScopeVerb> extends Access<Verb> {
  view?: Exclude<View, 'public'>
  /** Refuses who does not say which version they mean (428). */
  needsIfMatch?: true
}

export interface Creation<Table extends TableName, Verb extends ScopeVerb> extends Access<Verb> {
  /** What is wrong with the fields together. */
  check?(values: Values, writing: Writing): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** Columns that nobody sent. */
  defaults?(writing: Writing, values: Values): Promise<Columns<Table>>
  /** What else is written. */
  after?(writing: Writing, row: Row<Table>, values: Values): Promise<void>
}

export interface Change<Table extends TableName, Verb extends ScopeVerb> extends RowAccess<Verb> {
  check?(values: Values, writing: Writing, row: Row<Table>): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** Columns that follow from the change. Throws a Problem where the state does not allow it. */
  before?(writing: Writing, row: Row<Table>, values: Values): Promise<Columns<Table>>
  after?(writing: Writing, row: Row<Table>, values: Values): Promise<void>
}

export interface Removal<Table extends TableName, Verb extends ScopeVerb> extends RowAccess<Verb> {
  /** States in which it may go; any other keeps it. */
  from?: readonly string[]
  /** Removes the row's parts first. Throws a Problem where the row must stay. */
  before?(writing: Writing, row: Row<Table>): Promise<void>
}

/** Something that can be done with a row beside changing its fields. Its answer is the row. */
export interface Action<Table extends TableName, Verb extends ScopeVerb> extends RowAccess<Verb> {
  summary: string
  /** States that it leads out of, and the one that it leads to; in that one, it is in effect and changes nothing. */
  from?: readonly string[]
  to?: string
  method?: 'POST' | 'PUT'
  /** What is sent. Without it: an empty object. */
  input?: z.ZodObject
  /** Columns that follow, beside the state. Throws a Problem where something is missing. */
  run?(writing: Writing, row: Row<Table>, input: Values): Promise<Columns<Table>>
}

/** Something that is done with the collection as a whole: an order, many rows at once. */
export interface CollectionAction<Verb extends ScopeVerb> extends Access<Verb> {
  summary: string
  method?: 'POST' | 'PUT'
  input: z.ZodObject
  status?: 200 | 201 | 204 | 207
  /** What is answered, or nothing for 204. */
  run(writing: Writing, input: Values): Promise<Record<string, unknown> | undefined>
}
