import type { z } from 'zod'
import type { Caller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Database, Reader } from '../../store/database.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { AnyTable, ReadRow } from '../declare/expressions.ts'
import type { NoMembers, OutputOf, ParameterValues, Values } from '../declare/values.ts'
import type { View } from '../declare/views.ts'
import type { Access } from '../write/writing.ts'

/** What a declaration's own read is given. */
export interface Reading<Parameters extends z.ZodRawShape = NoMembers> {
  database: Reader
  school: School
  caller: Caller
  /** Values of the declared parameters, by name. */
  parameters: ParameterValues<Parameters>
  externalServices: ExternalServices
  /** The whole database, for what is counted while it is read. */
  store?: Pick<Database, 'kind' | 'transaction'> | undefined
}

interface OwnRead<Verb extends ScopeVerb> extends Access<Verb> {
  summary: string
  /** Operation id, where it is not the verb and the object. */
  id?: string
  /** Parameters of the query, each with a description. */
  parameters?: z.ZodObject
  /** What is sent: it is then asked with POST. It changes nothing that anybody reads, so it takes no Idempotency-Key. */
  input?: z.ZodObject
  /** What is answered. Stored ids become public ones where a field has a prefix; fields are shown as their view says. */
  output: z.ZodObject
}

/** Something that can be read of a row beside the row itself. */
export interface RowRead<Table extends AnyTable, Verb extends ScopeVerb> extends OwnRead<Verb> {
  /** Without a token it is served for some of the rows that a visitor sees. */
  anonymous?: 'partial'
  /** Its address takes the id alone, no slug. */
  byId?: true
  /** How much of the row one must see. Without it: any visible row will do. */
  view?: View
  run(reading: Reading, row: ReadRow<Table>, input: Values): Promise<Values>
  /** The answer as a document, for who asks for text/html. Everything that comes from people is escaped in it. */
  asHtml?(answer: Values, reading: Reading): string
}

/** Something that can be read of the collection as a whole. */
export interface CollectionRead<Verb extends ScopeVerb> extends OwnRead<Verb> {
  /**
   * Whether a caller without a token is served too, and every role, also where they have no rows; `full` with all of it, where of the
   * rows they see a part.
   */
  isPublic?: true | 'full'
  /** What one should know before asking. */
  about?: string
  /** Lists in the answer, of which the first that is there can be had as CSV, a line for each of its elements. */
  rows?: readonly string[]
  /** Its statements may take long: they end when their time is up. */
  isHard?: true
  run(reading: Reading, input: Values): Promise<Values>
}

interface TypedBy<Input extends z.ZodRawShape, Parameters extends z.ZodRawShape> {
  parameters?: z.ZodObject<Parameters>
  input?: z.ZodObject<Input>
}

/** A read of a row whose functions are typed by its schemas. */
export interface RowReadOf<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape,
  Parameters extends z.ZodRawShape,
  Output extends z.ZodRawShape,
> extends Omit<RowRead<Table, Verb>, 'parameters' | 'input' | 'output' | 'run' | 'asHtml'>,
    TypedBy<Input, Parameters> {
  output: z.ZodObject<Output>
  run(reading: Reading<Parameters>, row: ReadRow<Table>, input: OutputOf<Input>): Promise<Values>
  asHtml?(response: OutputOf<Output>, reading: Reading<Parameters>): string
}

/** A read of a collection whose functions are typed by its schemas. */
export interface CollectionReadOf<Verb extends ScopeVerb, Input extends z.ZodRawShape, Parameters extends z.ZodRawShape>
  extends Omit<CollectionRead<Verb>, 'parameters' | 'input' | 'run'>,
    TypedBy<Input, Parameters> {
  run(reading: Reading<Parameters>, input: OutputOf<Input>): Promise<Values>
}
