import { fieldError, type ProblemDetail } from '../../base/problem.ts'
import { comparisonForm } from '../../base/text/comparisonForm.ts'

interface Question {
  id: string
  kind: 'single' | 'multiple' | 'true_false' | 'short_text'
  choices: readonly { id: string; text: string; correct: boolean }[]
  accepted_answers: readonly string[]
  points: number
  prompt: string
  explanation?: string | null | undefined
}

export interface StoredQuiz {
  pass_percent: number
  max_attempts: number | null
  show_explanations?: 'never' | 'after_attempt' | 'after_passing' | undefined
  questions: readonly Question[]
}

export interface Answer {
  question_id: string
  choice_ids?: readonly string[] | undefined
  text?: string | undefined
}

/** The result of one question, as it is stored with an attempt. Later changes of the quiz do not change it. */
export interface QuestionResult {
  question_id: string
  correct: boolean
  points: number
}

export interface Score {
  /** Hundredths of a percent, rounded down. */
  bps: number
  isPassed: boolean
  /** In the order of the questions. */
  results: QuestionResult[]
}

/** Returns the errors in the form of the answers. They do not reveal which answer is correct. */
export function quizAnswerErrors({ questions }: StoredQuiz, answers: readonly Answer[]): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const answered = new Set<string>()
  for (const [index, { question_id, choice_ids, text }] of answers.entries()) {
    const field = `answers.${index}`
    const question = questions.find(({ id }) => id === question_id)
    if (!question) {
      fieldErrors.push(fieldError(`${field}.question_id`, 'invalid_reference', 'the quiz has no such question'))
      continue
    }
    if (answered.has(question_id))
      fieldErrors.push(fieldError(`${field}.question_id`, 'duplicate', 'has been answered already. Send one answer to each question.'))
    answered.add(question_id)
    if (question.kind === 'short_text') {
      if (choice_ids !== undefined)
        fieldErrors.push(fieldError(`${field}.choice_ids`, 'not_allowed', 'is not allowed for a short_text question. Send text.'))
      if (text === undefined) fieldErrors.push(fieldError(`${field}.text`, 'required', 'is required. Send it.'))
      continue
    }
    if (text !== undefined)
      fieldErrors.push(fieldError(`${field}.text`, 'not_allowed', 'is only allowed for a short_text question. Send choice_ids.'))
    if (choice_ids === undefined) fieldErrors.push(fieldError(`${field}.choice_ids`, 'required', 'is required. Send it.'))
    const chosen = choice_ids ?? []
    if (new Set(chosen).size < chosen.length)
      fieldErrors.push(fieldError(`${field}.choice_ids`, 'duplicate', 'must not contain a choice twice'))
    if (question.kind !== 'multiple' && chosen.length > 1)
      fieldErrors.push(fieldError(`${field}.choice_ids`, 'max', 'must contain one choice'))
    for (const [place, id] of chosen.entries()) {
      const isKnown = question.choices.some((choice) => choice.id === id)
      if (!isKnown) fieldErrors.push(fieldError(`${field}.choice_ids.${place}`, 'invalid_reference', 'the question has no such choice'))
    }
  }
  return fieldErrors
}

/** Returns the result of each question and the share of the points. A question gives all of its points or none; an unanswered question counts as wrong. */
export function scoreQuiz({ questions, pass_percent }: StoredQuiz, answers: readonly Answer[]): Score {
  const byQuestion = new Map(answers.map((answer) => [answer.question_id, answer]))
  const results = questions.map((question) => ({
    question_id: question.id,
    correct: isCorrect(question, byQuestion.get(question.id)),
    points: question.points,
  }))
  const total = sumOf(results.map(({ points }) => points))
  const won = sumOf(results.map(({ correct, points }) => (correct ? points : 0)))
  const bps = total === 0 ? 0 : Math.floor((won * 10_000) / total)
  return { bps, isPassed: bps >= pass_percent * 100, results }
}

/**
 * Scores a stored attempt with the current answer key: the questions of the attempt that the quiz still has. A question that was added later
 * does not count, nor does one that was removed. Of an attempt without recorded results, every question counts.
 * @returns undefined if the quiz has none of its questions
 */
export function scoreAgain(
  quiz: StoredQuiz,
  { answers, results }: { answers: readonly Answer[]; results: readonly QuestionResult[] | null },
): Score | undefined {
  const byId = new Map(quiz.questions.map((question) => [question.id, question]))
  const questions = results === null ? quiz.questions : results.flatMap(({ question_id }) => byId.get(question_id) ?? [])
  return questions.length === 0 ? undefined : scoreQuiz({ ...quiz, questions }, answers)
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0)

function isCorrect({ kind, choices, accepted_answers }: Question, answer: Answer | undefined): boolean {
  if (!answer) return false
  if (kind === 'short_text') return accepted_answers.map(comparisonForm).includes(comparisonForm(answer.text ?? ''))
  const chosen = new Set(answer.choice_ids)
  return choices.every(({ id, correct }) => chosen.has(id) === correct)
}
