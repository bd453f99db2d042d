import type { PersonCaller } from '../../policy/caller.ts'
import type { SchoolWriter } from '../../store/database.ts'

export interface CurriculumContext {
  writer: SchoolWriter
  caller: PersonCaller
  now: Date
}
