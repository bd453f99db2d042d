import { quotedText, type TranslatedFacts } from '../../database/outbox/sendMessage.ts'
import type { Answer } from './checkAnswers.ts'
import type { OpenForm } from './openForm.ts'

const maxAnswers = 30
const maxLength = 200

const yes = { en: 'Yes', de: 'Ja' }

/** Returns the answers for an e-mail to an unverified address: few, short, and without text that becomes a link. */
export function answerFacts({ fields }: Pick<OpenForm, 'fields'>, answers: Readonly<Record<string, Answer>>): TranslatedFacts {
  const answered = fields.flatMap(({ key, label }) => {
    const answer = answers[key]
    return answer === undefined || answer === false ? [] : [{ label, answer }]
  })
  const factsIn = (language: keyof typeof yes) =>
    answered.slice(0, maxAnswers).map(({ label, answer }) => ({
      label: quotedText(label, maxLength),
      value: quotedText(answer === true ? yes[language] : [answer].flat().join(', '), maxLength),
    }))
  return { en: factsIn('en'), de: factsIn('de') }
}
