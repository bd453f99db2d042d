import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { ProblemDetail } from '../../lib/problem.ts'
import type { Audience, PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { ChangeAction } from '../../store/changeActions.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { AnyTable, Columns, Row, SeenRow } from '../declare/expressions.ts'
import type { NoMembers, OutputOf, ParameterValues, Values } from '../declare/values.ts'
import type { View } from '../declare/views.ts'

/** The context of a rule that runs while something is written, inside the one transaction. */
export interface Writing<Parameters extends z.ZodRawShape = NoMembers> {
  /** Raw SQL in the same transaction, as `bulk` needs it. */
  sql: Sql
  /** The only handle that may be awaited here. */
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  /** Values of the operation's parameters, by name. */
  parameters: ParameterValues<Parameters>
  externalServices: ExternalServices
  /** Enqueues a task, such as a message to a person, that runs after the change is committed. A change that fails enqueues none. */
  enqueue(name: string, work: () => Promise<void>): void
  /** The result of `receive` for a form. */
  received?: Values | undefined
}

/** The context of a rule that creates a row: of a row under another one, that one too, locked. */
export interface CreateWriting<Parent extends AnyTable = never> extends Writing {
  parent?: (Row<Parent> & SeenRow) | undefined
}

/**
 * Returns the row under which a new one is created.
 * @throws Error in an operation of a resource that is declared without `under`
 */
export function parentOf<Parent extends AnyTable>({ parent }: CreateWriting<Parent>): Row<Parent> & SeenRow {
  if (!parent) throw new Error('this resource is not created under another row')
  return parent
}

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

export interface Creation<Table extends AnyTable, Verb extends ScopeVerb, New extends Values = Values, Parent extends AnyTable = never>
  extends Access<Verb> {
  /** Operation id, if it is not `create` and the object. */
  id?: string
  /** How much of the parent row the caller must see. Default: all of it, as staff do. */
  view?: View
  /** The form that is sent instead of JSON. */
  takes?: FormRules
  /** Returns errors of fields in combination. */
  check?(values: New, writing: CreateWriting<Parent>): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** The body that `perform` takes instead of the fields. Use defineCreation, which types `perform` by it. */
  input?: z.ZodObject
  /** The row may exist already: then it is the response (200). */
  isOnce?: true
  /** Creates the row itself and everything that belongs to it. Returns its stored id, and what was done if the row may exist already. */
  perform?(writing: CreateWriting<Parent>, values: New): Promise<string | Made>
  /** Returns columns that the client does not send. */
  defaults?(writing: CreateWriting<Parent>, values: New): Promise<Columns<Table>>
  /** Writes what follows from the new row. */
  after?(writing: CreateWriting<Parent>, row: Row<Table>, values: New): Promise<void>
}

/** A creation that takes a body of its own. */
export interface CreationOf<Table extends AnyTable, Verb extends ScopeVerb, Input extends z.ZodRawShape, Parent extends AnyTable>
  extends Omit<Creation<Table, Verb>, 'input' | 'perform' | 'check' | 'defaults' | 'after'> {
  input: z.ZodObject<Input>
  perform(writing: CreateWriting<Parent>, input: OutputOf<Input>): Promise<string | Made>
}

export interface Change<Table extends AnyTable, Verb extends ScopeVerb, Complete extends Values = Values, Changed extends Values = Values>
  extends RowAccess<Verb> {
  /** Returns errors of fields in combination, given the row with the change laid over it. */
  check?(values: Complete, writing: Writing, row: Row<Table>): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** Returns columns that follow from the change. Throws a Problem if the state does not allow it. */
  before?(writing: Writing, row: Row<Table>, values: Complete): Promise<Columns<Table>>
  after?(writing: Writing, row: Row<Table>, changed: Changed): Promise<void>
}

export interface Removal<Table extends AnyTable, Verb extends ScopeVerb> extends RowAccess<Verb> {
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
export interface Performed<Table extends AnyTable> {
  /** Columns of the row that follow: its version counts them. */
  columns?: Columns<Table>
  /** All was in effect already: nothing is noted, and nothing was made (200 in place of 201). */
  isUnchanged?: boolean
  /** The stored id of a new row of the same resource: it is the answer (201). */
  made?: string
  /** The stored id of the row of another resource that the action `answers` with. */
  answered?: string
  /** The answer as `output` describes it, asked for once everything is written. */
  body?(): Promise<Values>
  headers?: Record<string, string>
}

/** Many rows at once, each made or changed as a single one is. */
export interface RowsInBulk<Verb extends ScopeVerb> extends Access<Verb> {
  /** Stored id of the row that an item means, by a key that it names. What the row lacks to be one of this resource's, it is given. */
  find(writing: Writing, item: Values): Promise<string | undefined>
}

/** An operation on the collection as a whole, such as a new order of its rows. */
export interface CollectionAction<Verb extends ScopeVerb> extends Access<Verb> {
  summary: string
  /** Operation id, if it is not the verb and the collection. */
  id?: string
  method?: 'POST' | 'PUT'
  parameters?: z.ZodObject
  input: z.ZodObject
  /** The response; the documents show an object without it. */
  output?: z.ZodObject
  status?: 200 | 201 | 202 | 204 | 207
  /** Returns the stored ids of the affected rows from the response: the audit trail names them. */
  touched?(response: Values): readonly string[]
  /** Returns the response, or nothing for 204. Use defineCollectionAction, which types the input by its schema. */
  run(writing: Writing, input: Values): Promise<Values | undefined>
}

/** A collection action whose functions are typed by its schemas. */
export interface CollectionActionOf<Verb extends ScopeVerb, Input extends z.ZodRawShape, Parameters extends z.ZodRawShape>
  extends Omit<CollectionAction<Verb>, 'input' | 'parameters' | 'run'> {
  parameters?: z.ZodObject<Parameters>
  input: z.ZodObject<Input>
  run(writing: Writing<Parameters>, input: OutputOf<Input>): Promise<Values | undefined>
}
