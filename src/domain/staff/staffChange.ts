import type { PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Writer } from '../../store/database.ts'
import type { Sql } from '../../store/sql.ts'

/** What a change of who works here needs of its transaction. */
export interface StaffChange {
  writer: Writer
  sql: Sql
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
  enqueue(name: string, work: () => Promise<void>): void
}
