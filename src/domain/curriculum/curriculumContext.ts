import type { PersonCaller } from '../../policy/caller.ts'
import type { Writer } from '../../store/database.ts'
import type { TextFormat } from '../richText.ts'
import type { StoredMedia } from './lessonFiles.ts'
import type { Drip } from './lessonRules.ts'
import type { Quiz } from './quiz.ts'

/** The parts of a write that the rules of the curriculum need. */
export interface CurriculumContext {
  writer: Writer
  school: { id: string }
  caller: PersonCaller
  now: Date
}

/** The fields of a lesson in a request that the rules read. */
export type LessonInput = {
  readonly section_id?: string | undefined
  readonly kind?: string | undefined
  readonly content?: string | null | undefined
  readonly content_format?: TextFormat | undefined
  readonly media?: StoredMedia | null | undefined
  readonly attachment_file_ids?: readonly string[] | undefined
  readonly quiz?: Quiz | null | undefined
  readonly drip?: Drip | undefined
}
