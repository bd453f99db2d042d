import { fieldError, type ProblemDetail } from '../../lib/problem.ts'
import { isEmbeddable } from './embedHosts.ts'
import type { Drip, LessonInput } from './lessonInput.ts'
import { checkQuiz } from './quiz.ts'

/** Returns the errors in the fields of a lesson, except those in its files. */
export function checkLesson({ kind, quiz, media, drip }: LessonInput): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (quiz && kind !== 'quiz') fieldErrors.push(fieldError('quiz', 'not_allowed', 'is only allowed in a lesson of the kind quiz'))
  else if (quiz) fieldErrors.push(...checkQuiz(quiz))
  const { file_id, embed_url } = media ?? { file_id: null, embed_url: null }
  if (media && !file_id === !embed_url) fieldErrors.push(fieldError('media', 'not_allowed', 'must contain either file_id or embed_url'))
  if (embed_url && !isEmbeddable(embed_url)) {
    fieldErrors.push(fieldError('media.embed_url', 'not_allowed', 'must be the https URL of a supported player'))
  }
  const { mode, days, at }: Drip = drip ?? { mode: 'none' }
  if (mode === 'days_after_enrollment' && days === undefined)
    fieldErrors.push(fieldError('drip.days', 'required', 'is required with the mode days_after_enrollment'))
  if (mode === 'date' && at === undefined) fieldErrors.push(fieldError('drip.at', 'required', 'is required with the mode date'))
  return fieldErrors
}

/** Returns the drip without the fields of other modes. */
export function dripOf({ mode, days, at }: Drip): Drip {
  if (mode === 'days_after_enrollment') return { mode, days }
  return mode === 'date' ? { mode, at } : { mode }
}
