import type { Answer, Question } from '../../school/forms/checkAnswers.ts'
import { typedText } from '../typedText.ts'

/** Returns the name of the input of a question, which differs from every other input of the page. */
export const inputName = (key: string): string => `q-${key}`

/**
 * Returns the answers in a submitted form, by the key of the question. Inputs of other names are ignored. A number that cannot be read
 * stays a text, so that the check rejects it.
 */
export function readAnswers(questions: readonly Question[], form: URLSearchParams): Record<string, Answer> {
  const answers = questions.flatMap((question): [string, Answer][] => {
    const answer = answerTo(question, form.getAll(inputName(question.key)).map(typedText))
    return answer === undefined ? [] : [[question.key, answer]]
  })
  return Object.fromEntries(answers)
}

function answerTo({ kind }: Question, texts: readonly string[]): Answer | undefined {
  const [text = ''] = texts
  if (kind === 'file') return undefined
  if (kind === 'checkbox' || kind === 'consent') return text === '' ? undefined : true
  if (kind === 'multiple_choice') {
    const chosen = texts.filter((one) => one !== '')
    return chosen.length === 0 ? undefined : chosen
  }
  if (text === '') return undefined
  if (kind !== 'number') return kind === 'long_text' ? text : text.replaceAll('\n', ' ')
  return /^[+-]?\d{1,15}([.,]\d{1,15})?$/.test(text) ? Number(text.replace(',', '.')) : text
}
