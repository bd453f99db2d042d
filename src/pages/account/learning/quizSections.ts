import type { Lesson, ResponseTo } from '../../../school/apiRows.ts'
import { plainText } from '../../plainText.ts'
import { contentPart, type Texts } from '../../texts.ts'
import type { AccountField, AccountItem, AccountSection } from '../accountPage.ts'
import { accountField } from '../ownFields.ts'
import type { OwnPageContext } from '../ownPage.ts'
import type { OwnCourse } from './courseParts.ts'

export type OwnAttempt = ResponseTo<'listQuizAttempts', { expand: 'explanations' }>

type Quiz = NonNullable<Lesson['quiz']>
type Question = Quiz['questions'][number]

const prefix = 'q-'
const textPrefix = 't-'

/** Returns the answers in a submitted quiz: the choices of each question, and the texts. */
export function answersIn(form: URLSearchParams): { question_id: string; choice_ids?: string[]; text?: string }[] {
  const names = [...new Set(form.keys())]
  const answer = (name: string, start: string) => (name.startsWith(start) ? [name.slice(start.length)] : [])
  return [
    ...names.flatMap((name) => answer(name, prefix).map((question_id) => ({ question_id, choice_ids: form.getAll(name) }))),
    ...names.flatMap((name) =>
      answer(name, textPrefix).flatMap((question_id) =>
        form.get(name)?.trim() ? [{ question_id, text: form.get(name)?.trim() ?? '' }] : [],
      ),
    ),
  ]
}

/** Shows a quiz: the result of the attempt that the address names, or the latest one, and the form for another attempt. */
export function quizSections(
  context: OwnPageContext,
  { own, lesson: { quiz }, attempts }: { own: OwnCourse; lesson: Lesson; attempts: readonly OwnAttempt[] },
): AccountSection[] {
  const { texts, request, sent, form } = context
  if (!quiz) return []
  const shown = attempts.find(({ id }) => id === request.ctx.query.attempt)
  const used = attempts[0]?.attempt_no ?? 0
  const left = quiz.max_attempts === null ? Number.POSITIVE_INFINITY : quiz.max_attempts - used
  const isOpen = own.enrollment?.status === 'active' || own.enrollment?.status === 'completed'
  const results = shown && !sent ? [resultSection(texts, quiz, shown)] : []
  const section = {
    id: 'quiz',
    heading: texts.text(used > 0 ? 'quiz.again' : 'quiz.heading'),
    paragraphs: [
      texts.parts('quiz.pass', { percent: quiz.pass_percent }),
      ...(quiz.max_attempts === null ? [] : [texts.countedParts('quiz.attempts', Math.max(0, left))]),
      ...(attempts.length > 0 && !shown
        ? [texts.parts('quiz.best', { percent: Math.max(...attempts.map(({ score_percent }) => score_percent)) })]
        : []),
    ],
    links: attempts.length > 0 && !shown ? [{ href: `${request.path}?attempt=${attempts[0]?.id}`, label: texts.text('quiz.latest') }] : [],
  }
  if (!isOpen) return [...results, { ...section, paragraphs: [...section.paragraphs, texts.parts('quiz.enrolled_only', {})] }]
  if (left <= 0) return [...results, { ...section, paragraphs: [...section.paragraphs, texts.parts('quiz.no_attempts', {})] }]
  return [
    ...results,
    {
      ...section,
      forms: [
        form('quiz', {
          fields: quiz.questions.map((question) => fieldOf(texts, question, sent)),
          submit: texts.text('quiz.submit'),
          kind: 'main',
        }),
      ],
    },
  ]
}

/** Returns the field of a question, with the answer of a form that was rejected. */
function fieldOf(texts: Texts, { id, kind, prompt, choices }: Question, sent: URLSearchParams | undefined): AccountField {
  const isText = kind === 'short_text'
  const name = `${isText ? textPrefix : prefix}${id}`
  const selected = sent?.getAll(name) ?? []
  return accountField({
    ...{ name, label: plainText(prompt, 2000), autocomplete: 'off', maxLength: 200, isVerbatim: isText },
    type: isText ? 'text' : kind === 'multiple' ? 'checkbox' : 'radio',
    hint: kind === 'multiple' ? texts.text('quiz.several') : '',
    value: isText ? (selected[0] ?? '') : '',
    groups: [
      {
        label: '',
        options: choices.map((choice) => ({
          value: choice.id ?? '',
          label: plainText(choice.text, 1000),
          isSelected: selected.includes(choice.id ?? ''),
        })),
      },
    ],
  })
}

/** Shows the result of an attempt, question by question, with the explanations that the quiz shows. */
function resultSection(texts: Texts, quiz: Quiz, attempt: OwnAttempt): AccountSection {
  const item = ({ id, prompt, choices }: Question): AccountItem[] => {
    const result = attempt.results?.find(({ question_id }) => question_id === id)
    if (!result) return []
    const chosen = choices.filter((choice) => result.choice_ids?.includes(choice.id ?? '')).map(({ text }) => plainText(text, 1000))
    const answer = result.text ?? chosen.join(', ')
    const explanation = attempt.explanations.find(({ question_id }) => question_id === id)?.explanation
    return [
      {
        id: `result-${id}`,
        title: [contentPart(plainText(prompt, 2000))],
        mark: texts.text(result.correct ? 'quiz.correct' : 'quiz.wrong'),
        isBad: !result.correct,
        lines: [
          answer ? texts.parts('quiz.answer', { answer }) : texts.parts('quiz.no_answer', {}),
          ...(explanation ? [[contentPart(plainText(explanation, 2000))]] : []),
        ],
      },
    ]
  }
  return {
    id: 'result',
    heading: texts.text('quiz.result', { number: attempt.attempt_no }),
    paragraphs: [texts.parts(attempt.passed ? 'quiz.passed' : 'quiz.failed', { percent: attempt.score_percent })],
    items: quiz.questions.flatMap(item),
  }
}
