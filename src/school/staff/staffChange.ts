import type { PersonCaller } from '../../base/caller.ts'
import type { School } from '../../base/school.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'

export interface StaffChange {
  writer: SchoolWriter
  school: School
  caller: PersonCaller
  now: Date
  externalServices: Pick<ExternalServices, 'send'>
}
