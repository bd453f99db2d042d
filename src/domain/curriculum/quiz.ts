import type { ProblemDetail } from '../../lib/problem.ts'

interface Choice {
  id?: string | undefined
  text: string
  correct: boolean
}

interface Question {
  id?: string | undefined
  kind: 'single' | 'multiple' | 'true_false' | 'short_text'
  prompt: string
  choices: readonly Choice[]
  accepted_answers: readonly string[]
}

/** The questions of a lesson, with their answers. */
export interface Quiz {
  questions: readonly Question[]
}

/** What of a quiz does not fit together: an answer that nobody can give, a choice that stands twice. */
export function checkQuiz({ questions }: Quiz): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  const fault = (field: string, code: string, message: string): number => fieldErrors.push({ field, code, message: `${field}: ${message}` })
  if (hasTwice(questions)) fault('quiz.questions', 'duplicate', 'two questions have one id')
  for (const [index, { kind, choices, accepted_answers }] of questions.entries()) {
    const field = `quiz.questions.${index}`
    const correct = choices.filter((choice) => choice.correct).length
    if (hasTwice(choices)) fault(`${field}.choices`, 'duplicate', 'two choices have one id')
    if (kind === 'short_text') {
      if (choices.length > 0) fault(`${field}.choices`, 'not_allowed', 'a question for a text has accepted_answers instead')
      if (accepted_answers.length === 0) fault(`${field}.accepted_answers`, 'required', 'at least one is right')
      continue
    }
    if (accepted_answers.length > 0) fault(`${field}.accepted_answers`, 'not_allowed', 'only of a question for a text')
    if (kind === 'true_false' && choices.length !== 2) fault(`${field}.choices`, 'not_allowed', 'true and false are two choices')
    if (kind !== 'true_false' && choices.length < 2) fault(`${field}.choices`, 'min', 'at least two')
    if (kind === 'multiple' && correct === 0) fault(`${field}.choices`, 'required', 'at least one is correct')
    if (kind !== 'multiple' && correct !== 1) fault(`${field}.choices`, 'not_allowed', 'exactly one is correct')
  }
  return fieldErrors
}

/** The quiz with an id for every question and choice: those that were sent, and `q1`, `c1` … where none was. */
export function withIds<Sent extends Quiz>(quiz: Sent): Sent {
  return {
    ...quiz,
    questions: numbered(quiz.questions, 'q').map((question) => ({ ...question, choices: numbered(question.choices, 'c') })),
  }
}

function numbered<One extends { id?: string | undefined }>(list: readonly One[], email: string): (One & { id: string })[] {
  const taken = new Set(list.map(({ id }) => id))
  let next = 0
  const free = (): string => {
    do next += 1
    while (taken.has(`${email}${next}`))
    return `${email}${next}`
  }
  return list.map((one) => ({ ...one, id: one.id ?? free() }))
}

function hasTwice(list: readonly { id?: string | undefined }[]): boolean {
  const ids = list.flatMap(({ id }) => id ?? [])
  return new Set(ids).size < ids.length
}
