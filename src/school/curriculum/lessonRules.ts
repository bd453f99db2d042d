import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { playerOf } from '../../base/text/players.ts'
import type { Drip, LessonInput } from './lessonInput.ts'
import { checkQuiz } from './quiz.ts'

/**
 * Returns the errors in the fields of a lesson, except those in its files. An address in `played`, which the lesson has already, stays allowed:
 * services stop to allow some of them in frames.
 */
export function checkLesson({ kind, quiz, media, drip }: LessonInput, played?: string | null): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (quiz && kind !== 'quiz') fieldErrors.push(fieldError('quiz', 'not_allowed', 'is only allowed in a lesson of the kind quiz'))
  else if (quiz) fieldErrors.push(...checkQuiz(quiz))
  const { file_id, embed_url } = media ?? { file_id: null, embed_url: null }
  if (media && !file_id === !embed_url) fieldErrors.push(fieldError('media', 'not_allowed', 'must contain either file_id or embed_url'))
  const player = embed_url && embed_url !== played ? playerOf(embed_url) : undefined
  if (player && 'rule' in player) fieldErrors.push(fieldError('media.embed_url', 'not_allowed', player.rule))
  const { mode, days, at }: Drip = drip ?? { mode: 'none' }
  if (mode === 'days_after_enrollment' && days === undefined)
    fieldErrors.push(fieldError('drip.days', 'required', 'is required with the mode days_after_enrollment'))
  if (mode === 'date' && at === undefined) fieldErrors.push(fieldError('drip.at', 'required', 'is required with the mode date'))
  return fieldErrors
}

export function dripOf({ mode, days, at }: Drip): Drip {
  if (mode === 'days_after_enrollment') return { mode, days }
  return mode === 'date' ? { mode, at } : { mode }
}
