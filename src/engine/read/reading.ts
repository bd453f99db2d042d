import type { z } from 'zod'
import type { Caller } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import type { SchoolDatabase, SchoolReader } from '../../database/connection/database.ts'
import type { ScopeVerb } from '../declare/area.ts'
import type { AnyTable, NoMembers, OutputOf, ParameterValues, ReadRow, Values } from '../declare/expressions.ts'
import type { View } from '../declare/views.ts'
import type { ExternalServices } from '../externalServices.ts'
import type { Section } from '../output/sectionsJson.ts'
import type { ShowRequests } from '../write/dryRunReport.ts'
import type { Access } from '../write/writing.ts'

/** The page of a long list that a read loads itself. */
export interface RequestedPage {
  /** At most this many elements are shown. The read returns one more if there are more. */
  limit: number
  /** The id of the element next to the page. Backward: the page ends before it, and the read returns the nearest element first. */
  next?: { id: string; isBackward: boolean } | undefined
}

export interface Reading<Parameters extends z.ZodRawShape = NoMembers> {
  database: SchoolReader
  school: School
  caller: Caller
  parameters: ParameterValues<Parameters>
  externalServices: ExternalServices
  store?: SchoolDatabase | undefined
  showRequests?: ShowRequests | undefined
  /** How long the response may wait for the decision of a person. */
  waitSeconds?: number | undefined
  /** Present if the read declares `loadsPage`. */
  page?: RequestedPage
}

interface OwnRead<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape,
  Parameters extends z.ZodRawShape,
  Output extends z.ZodRawShape = z.ZodRawShape,
> extends Access<Verb> {
  summary: string
  /** Operation id, if it is not the verb and the object. */
  id?: string
  parameters?: z.ZodObject<Parameters>
  /** The body. A read with a body uses POST; it takes no Idempotency-Key, because repeating it is safe. */
  input?: z.ZodObject<Input>
  /** The response. Fields with a prefix convert stored ids to public ids. Each field appears in the views that it declares. */
  output: z.ZodObject<Output>
  /** The member that identifies an element of the list that `run` returns as `data`. The response is a page of it: `output` is a listOf. */
  pagedBy?: string
  /** True if `run` loads only the requested page, because the list is long. */
  loadsPage?: true
}

export interface RowRead<
  Table extends AnyTable,
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = z.ZodRawShape,
  Parameters extends z.ZodRawShape = z.ZodRawShape,
  Output extends z.ZodRawShape = z.ZodRawShape,
> extends OwnRead<Verb, Input, Parameters, Output> {
  /** Available without a token for some of the rows that a visitor can see. */
  anonymous?: 'partial'
  /** The path calls its parameter `id`, although it accepts a slug or number as well. The registered paths must not change. */
  byId?: true
  /** The view of the row that the caller needs. Default: any view. */
  view?: View
  run(reading: Reading<Parameters>, row: ReadRow<Table>, input: OutputOf<Input>): Promise<Values>
  /** Returns lists of any length that follow the response of `run`, which names them as members of `output`. They are streamed. */
  sections?(reading: Reading): readonly Section[]
  /** Renders the response as text/html. Escapes all text that people entered. */
  asHtml?(answer: OutputOf<Output>, reading: Reading<Parameters>): string
  /** The text of the only style element in the HTML: the Content-Security-Policy of the response allows it by its hash. */
  htmlStyle?: string
}

export interface CollectionRead<
  Verb extends ScopeVerb,
  Input extends z.ZodRawShape = z.ZodRawShape,
  Parameters extends z.ZodRawShape = z.ZodRawShape,
> extends OwnRead<Verb, Input, Parameters> {
  /** Open to callers without a token and to every role, even if they can see no rows. `full`: they get the complete response. */
  isPublic?: true | 'full'
  about?: string
  /** Names of lists in the response. The first one that is present is available as CSV, with a line for each element. */
  rows?: readonly string[]
  /** Its statements may take long, so they have a time limit. */
  isHard?: true
  run(reading: Reading<Parameters>, input: OutputOf<Input>): Promise<Values>
}
