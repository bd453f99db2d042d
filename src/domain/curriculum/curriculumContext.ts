import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'

/** What a rule here needs of the change that it belongs to. */
export interface CurriculumContext {
  writer: Writer
  sql: Sql
  school: { id: string }
  caller: PersonCaller
  now: Date
}

/** Fields as the API writes them. */
export type Values = Readonly<Record<string, unknown>>
