import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { deliverableEmail } from '../../base/text/emailAddress.ts'
import { ownMember } from '../../base/text/ownMember.ts'

export interface Question {
  key: string
  kind: string
  required?: boolean | null
  options?: readonly string[] | null
  max_length?: number | null
}

export type Answer = string | number | boolean | string[]

/** The longest answer of a question that has no limit, in characters. */
const defaultLengths: Readonly<Record<string, number>> = { text: 500, long_text: 10_000, email: 254, phone: 40 }

export const longestAnswer = ({ kind, max_length }: { kind: string; max_length?: number | null | undefined }): number =>
  max_length ?? defaultLengths[kind] ?? 10_000

/** Returns the errors of answers: unknown questions, missing required answers, and answers that do not fit their question. */
export function checkAnswers(questions: readonly Question[], answers: Readonly<Record<string, Answer>>): ProblemDetail[] {
  const known = new Set(questions.map(({ key }) => key))
  const unknown = Object.keys(answers)
    .filter((key) => !known.has(key))
    .map((key) => fieldError(`answers.${key}`, 'unknown_field', 'is not a question of the form'))
  const wrong = questions.flatMap((question) => {
    const field = `answers.${question.key}`
    const answer = ownMember(answers, question.key)
    if (answer === undefined || isBlank(answer) || (Array.isArray(answer) && answer.length === 0) || answer === false)
      // No sender can send a file, so that none is required.
      return question.required && question.kind !== 'file' ? [fieldError(field, 'required', 'is required')] : []
    const rule = ruleBrokenBy(question, answer)
    return rule === undefined ? [] : [fieldError(field, 'not_allowed', rule)]
  })
  return [...unknown, ...wrong]
}

/** True for a text without a visible character: spaces and format characters do not answer a question. */
const isBlank = (answer: Answer): boolean => typeof answer === 'string' && !/[^\s\p{C}]/u.test(answer)

function ruleBrokenBy({ kind, options, max_length }: Question, answer: Answer): string | undefined {
  const choices = new Set(options ?? [])
  switch (kind) {
    case 'number':
      return typeof answer === 'number' && Number.isFinite(answer) ? undefined : 'must be a number'
    case 'checkbox':
    case 'consent':
      return typeof answer === 'boolean' ? undefined : 'must be true or false'
    case 'single_choice':
      return typeof answer === 'string' && choices.has(answer) ? undefined : 'must be one of the options'
    case 'multiple_choice':
      return Array.isArray(answer) && new Set(answer).size === answer.length && answer.every((one) => choices.has(one))
        ? undefined
        : 'must be a list of different options'
    case 'date':
      return typeof answer === 'string' && isDate(answer) ? undefined : 'must be a date such as 2026-03-01'
    case 'file':
      return 'cannot be sent here: files are uploaded through the storage API'
    default:
      return textRule(kind, longestAnswer({ kind, max_length }), answer)
  }
}

function textRule(kind: string, longest: number, answer: Answer): string | undefined {
  if (typeof answer !== 'string') return 'must be a text'
  if (answer.length > longest) return `must have at most ${longest} characters`
  if (kind === 'email' && deliverableEmail(answer) === undefined) return 'must be an e-mail address'
  return undefined
}

function isDate(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
