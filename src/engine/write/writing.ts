import type { Readable } from 'node:stream'
import type { z } from 'zod'
import type { Audience, PersonCaller } from '../../base/caller.ts'
import type { ProblemCode, ProblemDetail } from '../../base/problem.ts'
import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ChangeAction } from '../../database/tables/changeActions.ts'
import type { AskReason } from '../../database/undo/effect.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { AnyTable, Columns, NoMembers, OutputOf, ParameterValues, Row, SeenRow, Values } from '../declare/expressions.ts'
import type { Risk } from '../declare/permissionSentences.ts'
import type { View } from '../declare/views.ts'
import type { ExternalServices } from '../externalServices.ts'
import type { Activity } from './activity.ts'
import type { CsvFile, CsvRules } from './csvItems.ts'

/** The context of a rule that runs while something is written, inside the one transaction. */
export interface Writing<Parameters extends z.ZodRawShape = NoMembers> {
  /** The only handle that may be awaited here. */
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  parameters: ParameterValues<Parameters>
  externalServices: ExternalServices
  /** The entry of the request in the audit trail. */
  activity: Activity
  /** The file that the request sent, if the items were sent as CSV. */
  csv?: CsvFile | undefined
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

export interface Access<Verb extends ScopeVerb> {
  scope: Verb
  /** True if it can be taken back for some days, or why not. Default: what the resource declares. */
  undo?: true | string
  /** Why the person decides first, if they want to decide about what the app cannot take back. Default: it depends on how much changes. */
  asksFirst?: AskReason
  /** Roles that may call it. Default: every role that can use the scope. */
  roles?: readonly Exclude<Audience, 'anonymous'>[]
  /** A rate limit in addition to those that follow from method, path and format. */
  limit?: 'bulk' | 'upload' | 'guess'
  /** Codes of the errors of its rules, for the documents. Those that follow from its kind are known. */
  errors?: readonly ProblemCode[]
  /** The consent page marks its scope: it can cost money, or lead to the loss of the account. */
  risk?: Exclude<Risk, 'deletes'>
}

/** Limits an operation on a row: how much of the row the caller must see to change it. */
export interface RowAccess<Verb extends ScopeVerb> extends Access<Verb> {
  view?: Exclude<View, 'public'>
  /** Parameters in addition to the row: members of the path by their name, the others of the query. */
  parameters?: z.ZodObject
  /**
   * Requires If-Match (428), because the request replaces what others may have changed: always, or if the body has one of these members.
   * A replacement of a whole row always requires it.
   */
  needsIfMatch?: true | readonly string[]
  /** Locks this before the row, instead of what the resource locks. */
  lockFirst?(writer: SchoolWriter, row: { id: string }): Promise<void>
  /**
   * Checks that this caller may do it to this row, whatever the request contains. Runs for the operation, and for taking back what has its effect.
   * Throws Problem access_denied.
   */
  requireCaller?(writing: Writing, row: { id: string }): Promise<void>
}

export interface SentFile {
  filename: string
  contentType: string
  bytes: number
  read(): Readable
}

export interface SentForm {
  fields: Readonly<Record<string, string>>
  file: SentFile | undefined
}

export interface FormRules {
  type: 'multipart/form-data'
  maxBytes: number
  /** Receives the file before the transaction begins; its result is `writing.received`. Throws a Problem to reject it. */
  receive(form: SentForm, context: { school: School; caller: PersonCaller; externalServices: ExternalServices }): Promise<Values>
}

/** A row that was created, or that existed. */
export interface Made {
  id: string
  /** `created` (201), or the change to the existing row (200). Absent: everything was up to date. */
  action?: ChangeAction | undefined
}

export interface Creation<Table extends AnyTable, Verb extends ScopeVerb, New extends Values = Values, Parent extends AnyTable = never>
  extends Access<Verb> {
  /** Operation id, if it is not `create` and the object. */
  id?: string
  /** How much of the parent row the caller must see. Default: all of it, as staff do. */
  view?: View
  /** The statuses of the parent row in which rows can be created under it. In another one the response is invalid_state. */
  parentStatus?: readonly string[]
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
  after?(writing: CreateWriting<Parent>, row: Row<Table>, values: New): Promise<void>
}

export interface Change<Table extends AnyTable, Verb extends ScopeVerb, Complete extends Values = Values, Changed extends Values = Values>
  extends RowAccess<Verb> {
  /** Returns errors of fields in combination, given the row with the change applied. */
  check?(values: Complete, writing: Writing, row: Row<Table>): readonly ProblemDetail[] | Promise<readonly ProblemDetail[]>
  /** Returns columns that follow from the change. Throws a Problem if the state does not allow it. */
  before?(writing: Writing, row: Row<Table>, values: Complete): Promise<Columns<Table>>
  after?(writing: Writing, row: Row<Table>, changed: Changed): Promise<void>
}

export interface Removal<Table extends AnyTable, Verb extends ScopeVerb> extends RowAccess<Verb> {
  /** States in which the row can be removed. */
  from?: readonly string[]
  /** Operation id, if it is not `delete` and the object. */
  id?: string
  /** Removes the parts of the row first. Throws a Problem if the row cannot be removed. May return the ids of affected rows for `after`. */
  before?(writing: Writing, row: Row<Table>): Promise<undefined | { affected: readonly string[] }>
  /** Writes what follows, after the row is deleted or, if it stays, updated. May return headers. `affected` is what `before` returned. */
  after?(
    writing: Writing,
    row: Row<Table>,
    affected: readonly string[],
  ): Promise<undefined | { headers: Record<string, string> }> | Promise<void>
  /** 204 if the response is empty although the row stays. */
  status?: 202 | 204
  /** Returns columns to write instead of deleting the row, which is then the response. */
  instead?(writing: Writing, row: Row<Table>): Promise<Columns<Table> | undefined>
}

/** The result of an action that determines its response itself. */
export interface Performed<Table extends AnyTable> {
  /** Columns of the row to write; this raises its version. */
  columns?: Columns<Table>
  /** True if there was nothing to do: nothing is recorded, and with `isOnce` the status is 200. */
  isUnchanged?: boolean
  /** Why the caller changes the row; the audit trail keeps it. */
  reason?: string | undefined
  /** The stored id of a new row of the same resource, which is the response (201). */
  made?: string
  /** The stored id of the row of the resource in `answers`, which is the response. */
  answered?: string
  /** Returns the response that `output` describes; called after everything is written. */
  body?(): Promise<Values>
  headers?: Record<string, string>
}

/** A bulk operation: each row is created or changed like a single one. */
export interface RowsInBulk<Verb extends ScopeVerb> extends Access<Verb> {
  /** Members by which an item names its row. */
  keys: readonly string[]
  /** Locks every row that an item names, in the order of their ids, whichever key the items use. */
  lockAll(writing: Writing, items: readonly Values[]): Promise<void>
  /** Returns the stored id of the row with a key of the item, and completes that row so that it belongs to this resource. */
  find(writing: Writing, item: Values): Promise<string | undefined>
}

/** An operation on the collection as a whole, such as a new order of its rows. */
export interface CollectionAction<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = z.ZodRawShape,
  Parameters extends z.ZodRawShape = z.ZodRawShape,
> extends Access<Verb> {
  summary: string
  /** Operation id, if it is not the verb and the collection. */
  id?: string
  method?: 'POST' | 'PUT'
  parameters?: z.ZodObject<Parameters>
  input: z.ZodObject<Input>
  /** The response; the documents show an object without it. */
  output?: z.ZodObject
  status?: 200 | 201 | 202 | 204 | 207
  csv?(): CsvRules
  /** The list in the input whose items `run` checks one by one. */
  checksEach?: string
  /** Returns true if all rows or none are written: then the status of a success is 200. */
  isAtomic?(input: Values): boolean
  /** Returns true if the response says that nothing was written. Then its Idempotency-Key is free for another request. */
  isUnchanged?(response: Values): boolean
  /** Returns the response, or nothing for 204. Use defineCollectionAction, which types the input by its schema. */
  run(writing: Writing<Parameters>, input: OutputOf<Input>): Promise<Values | undefined>
}
