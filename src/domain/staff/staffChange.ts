import type { PersonCaller } from '../../policy/caller.ts'
import type { ExternalServices } from '../../policy/externalServices.ts'
import type { School } from '../../policy/school.ts'
import type { SchoolWriter } from '../../store/database.ts'

export interface StaffChange {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
}
