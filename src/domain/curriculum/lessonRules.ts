import type { ProblemDetail } from '../../lib/problem.ts'
import type { Values } from './curriculumContext.ts'
import { isEmbeddable } from './embedHosts.ts'
import { checkQuiz, type Quiz } from './quiz.ts'

interface Drip {
  mode: 'none' | 'days_after_enrollment' | 'date'
  days?: number | undefined
  at?: string | undefined
}

interface Media {
  file_id?: string | null
  embed_url?: string | null
}

/** Whether the fields of a lesson fit together. Files are looked up elsewhere. */
export function checkLesson({ kind, quiz, media, drip }: Values): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  if (quiz && kind !== 'quiz') fault('quiz', 'not_allowed', 'only a lesson of the kind quiz has one')
  else if (quiz) fieldErrors.push(...checkQuiz(quiz as Quiz))
  const { file_id, embed_url } = (media ?? {}) as Media
  if (media && !file_id === !embed_url) fault('media', 'not_allowed', 'names either a file or an address')
  if (embed_url && !isEmbeddable(embed_url)) {
    fault('media.embed_url', 'not_allowed', 'is not the https address of a player that the school embeds')
  }
  const { mode, days, at } = (drip ?? { mode: 'none' }) as Drip
  if (mode === 'days_after_enrollment' && days === undefined) fault('drip.days', 'required', 'says after how many days')
  if (mode === 'date' && at === undefined) fault('drip.at', 'required', 'says when')
  return fieldErrors
}

/** What of a drip belongs to its mode; the rest is left from another one. */
export function dripOf({ mode, days, at }: Drip): Drip {
  if (mode === 'days_after_enrollment') return { mode, days }
  return mode === 'date' ? { mode, at } : { mode }
}
