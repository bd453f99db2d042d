import { day, inOrder } from '../calendar.ts'
import { brought, type DemoField, type DemoForm, forms, questions, whys } from '../forms.ts'
import type { Activity } from '../generate/activity.ts'
import { learnerAt } from '../learners.ts'
import { createRandom } from '../seededRandom.ts'
import { type Context, dateOf } from './context.ts'

const strangers = ['Agnes Millpond', 'Bertil Hayrick', 'Cleo Sandgate', 'Dov Larchfield', 'Esme Quarrystone', 'Florin Beckwater'] as const

/** Returns forms, and submissions by people of the school and by others. */
export function formRows({ now, id, base, personId }: Context, { learners }: Activity) {
  const random = createRandom('lanternfield forms')
  const sent = inOrder(
    forms.flatMap((form, number) => {
      const from = now - form.made_days_ago * day
      const until = now - (form.closed_days_ago ?? 2) * day
      return Array.from({ length: form.submissions }, (_, index) => {
        const at = Math.round((from + random.between(0.01, 0.99) * (until - from)) / 1000) * 1000
        const known = random.chance(0.6) ? random.pick(learners.filter((learner) => learner.at < at && !learner.isInvited)) : undefined
        const name = known ? learnerAt(known.index).name : random.pick(strangers)
        const email = known ? learnerAt(known.index).email : `${name.toLowerCase().replace(' ', '.')}@example.com`
        const spam = index % 19 === 11
        return { at, number: 0, form: number, known, name, email, spam, answers: answersTo(form, { name, email, spam }, random.below) }
      })
    }),
  )
  return {
    forms: forms.map(({ submissions, made_days_ago, closed_days_ago, fields, ...form }, number) => ({
      ...base('form', { at: now - made_days_ago * day, number }, closed_days_ago === null ? null : now - closed_days_ago * day),
      ...form,
      notifies_staff: true,
      fields: fields.map(fieldOf),
      closes_at: dateOf(closed_days_ago === null ? null : now - closed_days_ago * day),
      submissions_count: submissions,
      last_submission_at: dateOf(sent.findLast((one) => one.form === number)?.at),
    })),
    submissions: sent.map((one) => ({
      ...base('form_submission', one),
      form_id: id('form', one.form),
      form_version: 1,
      answers: one.answers,
      email: one.email,
      name: one.name,
      person_id: one.known ? personId(one.known) : null,
      source_path: `/${forms[one.form]?.slug}`,
      locale: one.number % 4 === 1 ? 'de' : 'en',
      spam: one.spam,
      submitted_at: new Date(one.at),
    })),
  }
}

const fieldOf = ({ key, label, kind, required, options = [], help, max_length }: DemoField) => ({
  key,
  label,
  kind,
  required,
  options: [...options],
  help: help ?? null,
  max_length: max_length ?? null,
})

interface Sender {
  name: string
  email: string
  spam: boolean
}

function answersTo({ fields, slug }: DemoForm, { name, email, spam }: Sender, below: (end: number) => number) {
  const texts = slug === 'scholarship' ? whys : slug === 'autumn-fair-table' ? brought : questions
  const answer = ({ key, kind, options = [] }: DemoField) => {
    if (key === 'name') return name
    if (kind === 'email') return email
    if (kind === 'consent') return true
    if (kind === 'number') return 1 + below(8)
    if (kind === 'single_choice') return options[below(options.length)]
    if (kind === 'multiple_choice') return options.slice(below(options.length - 1)).slice(0, 2)
    return spam ? 'We make your school appear in the first place of every search. Answer today.' : texts[below(texts.length)]
  }
  return Object.fromEntries(fields.map((field) => [field.key, answer(field)]))
}
