import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'

/** The parts of a write that the rules of the curriculum need. */
export interface CurriculumContext {
  writer: Writer
  school: { id: string }
  caller: PersonCaller
  now: Date
}
