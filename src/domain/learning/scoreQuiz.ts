import type { ProblemDetail } from '../../lib/problem.ts'

interface Question {
  id: string
  kind: 'single' | 'multiple' | 'true_false' | 'short_text'
  choices: readonly { id: string; correct: boolean }[]
  accepted_answers: readonly string[]
  points: number
}

/** A quiz as it is stored, with its answers. */
export interface StoredQuiz {
  pass_percent: number
  max_attempts: number | null
  questions: readonly Question[]
}

/** What somebody answered to one question. */
export interface Answer {
  question_id: string
  choice_ids?: readonly string[] | undefined
  text?: string | undefined
}

export interface Score {
  /** Hundredths of a percent, rounded down. */
  bps: number
  isPassed: boolean
}

/** What is wrong with the form of the answers. Nothing in it says which answer is right. */
export function quizAnswerErrors({ questions }: StoredQuiz, answers: readonly Answer[]): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  const answered = new Set<string>()
  for (const [index, { question_id, choice_ids, text }] of answers.entries()) {
    const field = `answers.${index}`
    const question = questions.find(({ id }) => id === question_id)
    if (!question) {
      fault(`${field}.question_id`, 'invalid_reference', 'the quiz has no such question')
      continue
    }
    if (answered.has(question_id)) fault(`${field}.question_id`, 'duplicate', 'was answered before')
    answered.add(question_id)
    if (question.kind === 'short_text') {
      if (choice_ids !== undefined) fault(`${field}.choice_ids`, 'not_allowed', 'the question asks for a text')
      if (text === undefined) fault(`${field}.text`, 'required', 'is required. Send it.')
      continue
    }
    if (text !== undefined) fault(`${field}.text`, 'not_allowed', 'the question asks for a choice')
    if (choice_ids === undefined) fault(`${field}.choice_ids`, 'required', 'is required. Send it.')
    const chosen = choice_ids ?? []
    if (new Set(chosen).size < chosen.length) fault(`${field}.choice_ids`, 'duplicate', 'names a choice twice')
    if (question.kind !== 'multiple' && chosen.length > 1) fault(`${field}.choice_ids`, 'max', 'takes one choice')
    for (const [place, id] of chosen.entries()) {
      const isKnown = question.choices.some((choice) => choice.id === id)
      if (!isKnown) fault(`${field}.choice_ids.${place}`, 'invalid_reference', 'the question has no such choice')
    }
  }
  return fieldErrors
}

/** The share of the points. A question counts whole or not at all; one that was not answered counts as wrong. */
export function scoreQuiz({ questions, pass_percent }: StoredQuiz, answers: readonly Answer[]): Score {
  const byQuestion = new Map(answers.map((answer) => [answer.question_id, answer]))
  const total = questions.reduce((sum, { points }) => sum + points, 0)
  const won = questions.reduce((sum, question) => sum + (isRight(question, byQuestion.get(question.id)) ? question.points : 0), 0)
  const bps = total === 0 ? 0 : Math.floor((won * 10_000) / total)
  return { bps, isPassed: bps >= pass_percent * 100 }
}

function isRight({ kind, choices, accepted_answers }: Question, answer: Answer | undefined): boolean {
  if (!answer) return false
  if (kind === 'short_text') return accepted_answers.some((accepted) => plain(accepted) === plain(answer.text ?? ''))
  const chosen = new Set(answer.choice_ids)
  return choices.every(({ id, correct }) => chosen.has(id) === correct)
}

/** Capitals, spaces around and between words, and forms of one letter make no difference. */
const plain = (text: string): string => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLocaleLowerCase('en')
