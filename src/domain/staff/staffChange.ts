import type { PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { Writer } from '../../store/database.ts'

/** The transaction in which the staff of a school changes. */
export interface StaffChange {
  writer: Writer
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
}
