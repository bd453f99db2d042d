import { fieldError, type ProblemDetail } from '../../base/problem.ts'

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

export interface Quiz {
  questions: readonly Question[]
}

/** A quiz as the database has it. A quiz from before a setting existed lacks the setting. */
interface StoredSettings {
  show_explanations?: string | undefined
}

export const shownQuiz = <Stored extends StoredSettings>(quiz: Stored | null): Stored | null =>
  quiz && { show_explanations: 'never', ...quiz }

/** Returns the errors in a quiz, such as duplicate ids or a question without a correct answer. */
export function checkQuiz({ questions }: Quiz): ProblemDetail[] {
  const fieldErrors: ProblemDetail[] = []
  if (hasTwice(questions)) fieldErrors.push(fieldError('quiz.questions', 'duplicate', 'must not contain an id twice'))
  for (const [index, { kind, choices, accepted_answers }] of questions.entries()) {
    const field = `quiz.questions.${index}`
    const correct = choices.filter((choice) => choice.correct).length
    if (hasTwice(choices)) fieldErrors.push(fieldError(`${field}.choices`, 'duplicate', 'must not contain an id twice'))
    if (kind === 'short_text') {
      if (choices.length > 0)
        fieldErrors.push(fieldError(`${field}.choices`, 'not_allowed', 'must be empty for a short_text question. Use accepted_answers.'))
      if (accepted_answers.length === 0)
        fieldErrors.push(fieldError(`${field}.accepted_answers`, 'required', 'must contain at least one answer'))
      continue
    }
    if (accepted_answers.length > 0)
      fieldErrors.push(fieldError(`${field}.accepted_answers`, 'not_allowed', 'must be empty unless the question is short_text'))
    if (kind === 'true_false' && choices.length !== 2)
      fieldErrors.push(fieldError(`${field}.choices`, 'not_allowed', 'must contain two choices'))
    if (kind !== 'true_false' && choices.length < 2)
      fieldErrors.push(fieldError(`${field}.choices`, 'min', 'must contain at least two choices'))
    if (kind === 'multiple' && correct === 0)
      fieldErrors.push(fieldError(`${field}.choices`, 'required', 'must contain at least one correct choice'))
    if (kind !== 'multiple' && correct !== 1)
      fieldErrors.push(fieldError(`${field}.choices`, 'not_allowed', 'must contain exactly one correct choice'))
  }
  return fieldErrors
}

/** Returns the quiz with an id for every question and choice: the ids sent, else `q1`, `c1` and so on. */
export function withIds<Input extends Quiz>(quiz: Input): Input {
  return {
    ...quiz,
    questions: numbered(quiz.questions, 'q').map((question) => ({ ...question, choices: numbered(question.choices, 'c') })),
  }
}

function numbered<One extends { id?: string | undefined }>(list: readonly One[], prefix: string): (One & { id: string })[] {
  const taken = new Set(list.map(({ id }) => id))
  let next = 0
  const free = (): string => {
    do next += 1
    while (taken.has(`${prefix}${next}`))
    return `${prefix}${next}`
  }
  return list.map((one) => ({ ...one, id: one.id ?? free() }))
}

function hasTwice(list: readonly { id?: string | undefined }[]): boolean {
  const ids = list.flatMap(({ id }) => id ?? [])
  return new Set(ids).size < ids.length
}
