import type { Readable } from 'node:stream'
import type { Updateable } from 'kysely'
import type { z } from 'zod'
import type { DB } from '../../gen/kysely/tables.ts'
import type { ProblemDetail } from '../../lib/problem.ts'
import type { Audience, PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { Row, TableName } from '../declare/expressions.ts'
import type { SeenRow } from '../declare/queryScope.ts'
import type { Resource } from '../declare/resource.ts'
import type { View } from '../declare/views.ts'
import type { ParameterValues } from '../read/readParameters.ts'

/** What a rule of the school is given while something is written, inside the one transaction. */
export interface Writing {
  /** Raw SQL in the same transaction, as `bulk` needs it. */
  sql: Sql
  /** The only handle that may be awaited here. */
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  /** Values of the operation's parameters, by name. */
  parameters: ParameterValues
  externalServices: ExternalServices
  /** Leaves work for the time after the change stands: a message to a person. A change that fails leaves none. */
  enqueue(name: string, work: () => Promise<void>): void
  /** What `receive` made of a form. */
  received?: Values | undefined
  /** The row of another resource that a new row is made under, locked. */
  parent?: SeenRow | undefined
}

export type Columns<Table extends TableName> = Partial<Updateable<DB[Table]>>

/** Fields as the API writes them: what was sent over what is there. */
export type Values = Readonly<Record<string, unknown>>

/** Who may call, and which rows they may touch. */
export interface Access<Verb extends ScopeVerb> {
  scope: Verb
  /** Whom it is for at all. Without it: everybody who can use the scope. */
  roles?: readonly Exclude<Audience, 'anonymous'>[]
  /** A rate limit beside those that follow from method, address and form. */
  limit?: 'bulk' | 'upload' | 'guess'
}

/** Of an operation on a row: how much of the row one must see to touch it. */
export interface RowAccess<Verb extends ScopeVerb> extends Access<Verb> {
  view?: Exclude<View, 'public'>
  /** What an address says beside the row: members of the path by their name, the others of the query. */
  parameters?: z.ZodObject
  /** Refuses who does not say which version they mean (428). */
  needsIfMatch?: true
  /** Locks this before the row, in place of what the resource locks. */
  lockFirst?(writer: Writer, row: { schoolId: string; id: string }): Promise<void>
}

/** A file in a form, waiting on this machine. */
export interface SentFile {
  filename: string
  contentType: string
  bytes: number
  read(): Readable
}

/** What a form says, and its file. */
export interface SentForm {
  fields: Readonly<Record<string, string>>
  file: SentFile | undefined
}

/** A form with one file in place of JSON. */
export interface FormRules {
  type: 'multipart/form-data'
  maxBytes: number
  /** Takes the file before the transaction begins. What it answers stands in `writing.received`. Throws a Problem where it is refused. */
  receive(form: SentForm, context: { school: School; caller: PersonCaller; externalServices: ExternalServices }): Promise<Values>
}

/** A row that was made, or that was there. */
export interface Made {
  /** As it is stored. */
  id: string
  /** `created` (201), or what was done with the row that was there (200); nothing where all was in effect. */
  action?: ChangeAction | undefined
}

export interface Creation<Table extends TableName, Verb extends ScopeVerb> extends Access<Verb> {
  /** Operation id, where it is not `create` and the object. */
  id?: string
  /** How much one must see of the row that it is made under. Without it: all of it, as staff do. */
  view?: View
  /** What is sent, where it is not JSON. */
  takes?: FormRules
  /** What is wrong with the fields together. */
  check?(values: Values, writing: Writing): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** What is sent to `perform`, where that is something else than the fields. */
  input?: z.ZodObject
  /** There may be a row already: then that is the answer (200). */
  isOnce?: true
  /** Makes the row itself, and whatever belongs to it: its stored id, and what became of it where there may have been one. */
  perform?(writing: Writing, input: Values): Promise<string | Made>
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
  /** Operation id, where it is not `delete` and the object. */
  id?: string
  /** Removes the row's parts first. Throws a Problem where the row must stay. May answer headers. */
  before?(writing: Writing, row: Row<Table>): Promise<undefined | { headers: Record<string, string> }>
  /** Writes what follows once the row is gone or, where it stays, once it is written. */
  after?(writing: Writing, row: Row<Table>): Promise<void>
  /** 204 where nothing is answered although the row stays. */
  status?: 202 | 204
  /** What is written instead: the row stays, and is the answer. */
  instead?(writing: Writing, row: Row<Table>): Promise<Columns<Table> | undefined>
}

/** What became of an action that says itself what is answered. */
export interface Performed<Table extends TableName> {
  /** Columns of the row that follow: its version counts them. */
  columns?: Columns<Table>
  /** All was in effect already: nothing is noted, and nothing was made (200 in place of 201). */
  isUnchanged?: boolean
  /** The stored id of a new row of the same resource: it is the answer (201). */
  made?: string
  /** The stored id of the row of another resource that the action `answers` with. */
  answered?: string
  /** The answer as `output` describes it, asked for once everything is written. */
  body?(): Promise<Record<string, unknown>>
  headers?: Record<string, string>
}

/** Something that can be done with a row beside changing its fields. Its answer is the row where nothing else is said. */
export interface Action<Table extends TableName, Verb extends ScopeVerb> extends Omit<RowAccess<Verb>, 'view'> {
  /** How much of the row one must see. `public`: the action itself says who may. */
  view?: View
  summary: string
  /** Operation id, where it is not the verb and the object. */
  id?: string
  /** One does it with one's own row alone: its address says `me` and takes no id. */
  isOwn?: true
  /** The end of its address, where that is not its name: `authorizations/{id}`. */
  at?: string
  /** States that it leads out of, and the one that it leads to; in that one, it is in effect and changes nothing. */
  from?: readonly string[]
  to?: string
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** 201 where `perform` makes a row, or a part of the row that is the answer, 204 where nothing is answered. */
  status?: 200 | 201 | 202 | 204
  /** What is sent. Without it: an empty object. */
  input?: z.ZodObject
  /** Columns that follow, beside the state; undefined where all is in effect already. Throws a Problem where something is missing. */
  run?(writing: Writing, row: Row<Table>, input: Values): Promise<Columns<Table> | undefined>
  /** What else is written, once the row is. May answer headers. */
  after?(writing: Writing, row: Row<Table>): Promise<{ headers: Record<string, string> } | undefined> | Promise<void>
  /** The same for what answers something else than the row. */
  perform?(writing: Writing, row: Row<Table>, input: Values): Promise<Performed<Table>>
  /** What `perform` answers, where that is not a row. */
  output?: z.ZodObject
  /** Whose row it answers, where that is another resource's. */
  answers?(): Resource
}

/** Many rows at once, each made or changed as a single one is. */
export interface RowsInBulk<Verb extends ScopeVerb> extends Access<Verb> {
  /** Stored id of the row that an item means, by a key that it names. What the row lacks to be one of this resource's, it is given. */
  find(writing: Writing, item: Values): Promise<string | undefined>
}

/** Something that is done with the collection as a whole: an order, many rows at once. */
export interface CollectionAction<Verb extends ScopeVerb> extends Access<Verb> {
  summary: string
  /** Operation id, where it is not the verb and the collection. */
  id?: string
  method?: 'POST' | 'PUT'
  parameters?: z.ZodObject
  input: z.ZodObject
  /** What is answered; the documents show an object without it. */
  output?: z.ZodObject
  status?: 200 | 201 | 202 | 204 | 207
  /** Stored ids of the rows that it was about, out of its answer: the audit trail names them. */
  touched?(answer: Record<string, unknown>): readonly string[]
  /** What is answered, or nothing for 204. */
  run(writing: Writing, input: Values): Promise<Record<string, unknown> | undefined>
}
