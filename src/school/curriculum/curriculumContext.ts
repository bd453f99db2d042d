import type { PersonCaller } from '../../base/caller.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'

export interface CurriculumContext {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}
