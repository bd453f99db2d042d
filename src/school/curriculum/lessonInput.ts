import type { TextFormat } from '../richText.ts'
import type { Quiz } from './quiz.ts'

/** The media of a lesson. Requests have public ids, and the column has stored ids. */
export interface StoredMedia {
  file_id: string | null
  embed_url: string | null
  captions: readonly { language: string; file_id: string }[]
}

/** The condition under which a lesson opens to enrolled students. */
export interface Drip {
  mode: 'none' | 'days_after_enrollment' | 'date'
  days?: number | undefined
  at?: string | undefined
}

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
