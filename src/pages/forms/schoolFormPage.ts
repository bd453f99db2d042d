import { ownMember } from '../../base/text/ownMember.ts'
import { formPath } from '../../engine/sitePaths.ts'
import { type Answer, longestAnswer } from '../../school/forms/checkAnswers.ts'
import type { OpenForm, ShownQuestion } from '../../school/forms/openForm.ts'
import { type Frame, frame } from '../frame.ts'
import type { PageContext } from '../pageContext.ts'
import type { Views } from '../templates.ts'
import type { Texts } from '../texts.ts'
import { inputName } from './readAnswers.ts'

export interface SchoolFormPage extends Frame {
  heading: string
  description: string
  action: string
  csrf: string
  stamp: string
  errors: { heading: string; list: { href: string; text: string }[] } | undefined
  questions: ShownField[]
  consent: ConsentBox | undefined
  /** The label of the field that only programs fill in. */
  trap: string
  submit: string
}

export interface FormSentPage extends Frame {
  heading: string
  message: string
  back: { href: string; label: string }
}

export interface ShownField {
  id: string
  name: string
  label: string
  control: 'input' | 'area' | 'choice' | 'box' | 'note'
  type: string
  inputMode: string
  autocomplete: string
  maxLength: number
  value: string
  isRequired: boolean
  hint: string
  error: string
  /** Ids of the hint and the error; empty if there are none. */
  describedBy: string
  options: { id: string; value: string; isChosen: boolean }[]
}

interface ConsentBox {
  text: string
  isTicked: boolean
  error: string
  link: { href: string; label: string } | undefined
}

export interface Rejected {
  answers: Readonly<Record<string, Answer>>
  hasAgreed: boolean
  /** Keys of questions with a wrong answer; `missing` if there is none. */
  errors: Readonly<Record<string, 'missing' | 'wrong'>>
  error?: string
}

export interface SchoolFormParts {
  form: OpenForm
  csrf: string
  stamp: string
  rejected: Rejected | undefined
}

export function schoolFormPage(views: Views, pageContext: PageContext, parts: SchoolFormParts): SchoolFormPage {
  const { texts, privacyUrl } = pageContext
  const { form, csrf, stamp, rejected } = parts
  const questions = form.fields.map((question) => shownField(texts, question, rejected))
  const consent = consentBox(texts, form, { rejected, privacyUrl })
  const list = [
    ...(rejected?.error === undefined ? [] : [{ href: '#form', text: rejected.error }]),
    ...questions.flatMap(({ id, label, error, options }) =>
      error === '' ? [] : [{ href: `#${options[0]?.id ?? id}`, text: texts.text('school_form.error_at', { question: label, error }) }],
    ),
    ...(consent && consent.error !== '' ? [{ href: '#consent', text: consent.error }] : []),
  ]
  const title = list.length === 0 ? form.title : texts.text('school_form.error_title', { form: form.title })
  return {
    ...frame(views, pageContext, title),
    ...(rejected === undefined && { isIndexed: true as const }),
    heading: form.title,
    description: form.description ?? '',
    action: formPath(form.slug),
    csrf,
    stamp,
    errors: list.length === 0 ? undefined : { heading: texts.text('school_form.errors'), list },
    questions,
    consent,
    trap: texts.text('school_form.trap'),
    submit: form.submit_label ?? texts.text('school_form.submit'),
  }
}

function consentBox(
  texts: Texts,
  { consent_text: text }: OpenForm,
  { rejected, privacyUrl }: Pick<SchoolFormParts, 'rejected'> & Pick<PageContext, 'privacyUrl'>,
): ConsentBox | undefined {
  if (text === null) return undefined
  const isTicked = rejected?.hasAgreed ?? false
  return {
    text,
    isTicked,
    error: rejected && !isTicked ? texts.text('school_form.agree') : '',
    link: privacyUrl === undefined ? undefined : { href: privacyUrl, label: texts.text('home.privacy') },
  }
}

type Control = Pick<ShownField, 'control'> & Partial<Pick<ShownField, 'type' | 'inputMode' | 'autocomplete'>>

const controls: Readonly<Record<string, Control>> = {
  text: { control: 'input' },
  long_text: { control: 'area' },
  email: { control: 'input', type: 'email', autocomplete: 'email' },
  phone: { control: 'input', type: 'tel', autocomplete: 'tel' },
  number: { control: 'input', inputMode: 'decimal' },
  date: { control: 'input', type: 'date' },
  single_choice: { control: 'choice', type: 'radio' },
  multiple_choice: { control: 'choice', type: 'checkbox' },
  checkbox: { control: 'box' },
  consent: { control: 'box' },
  file: { control: 'note' },
}

function shownField(texts: Texts, question: ShownQuestion, rejected: Rejected | undefined): ShownField {
  const { key, kind, label, required, options, help } = question
  const answer = ownMember(rejected?.answers ?? {}, key)
  const name = inputName(key)
  const control = controls[kind] ?? { control: 'input' }
  const error = rejected ? errorOf(texts, question, rejected) : ''
  const note = control.control === 'note' ? texts.text('school_form.no_files') : ''
  const hint = [help ?? '', note].filter((text) => text !== '').join(' ')
  const isOptional = !required && control.control !== 'note'
  return {
    ...{ type: 'text', inputMode: '', autocomplete: key === 'name' ? 'name' : 'off', ...control },
    id: name,
    name,
    label: isOptional ? texts.text('school_form.optional', { label }) : label,
    maxLength: longestAnswer(question),
    value: shownValue(answer, control.control),
    isRequired: required === true,
    hint,
    error,
    describedBy: [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' '),
    options: (control.control === 'choice' ? (options ?? []) : []).map((value, index) => ({
      id: `${name}-${index + 1}`,
      value,
      isChosen: Array.isArray(answer) ? answer.includes(value) : answer === value,
    })),
  }
}

const shownValue = (answer: Answer | undefined, control: ShownField['control']): string =>
  control === 'box' ? (answer === true ? 'yes' : '') : answer === undefined ? '' : String(answer)

function errorOf(texts: Texts, { key, kind, max_length }: ShownQuestion, { errors, answers }: Rejected): string {
  const error = ownMember(errors, key)
  if (error === undefined) return ''
  const isChoice = kind === 'single_choice' || kind === 'multiple_choice'
  if (isChoice) return texts.text('school_form.choose')
  if (error === 'missing') return texts.text(kind === 'checkbox' || kind === 'consent' ? 'school_form.tick' : 'school_form.required')
  const longest = longestAnswer({ kind, max_length })
  if (String(ownMember(answers, key) ?? '').length > longest && kind !== 'number' && kind !== 'date')
    return texts.text('school_form.too_long', { count: longest })
  if (kind === 'email') return texts.text('school_form.email')
  if (kind === 'number') return texts.text('school_form.number')
  if (kind === 'date') return texts.text('school_form.date')
  return texts.text('school_form.wrong')
}
