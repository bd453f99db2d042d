import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { now } from '../../database/statements/expressions.ts'
import { isOpenForm } from '../../database/tables/formExpressions.ts'
import type { Question } from './checkAnswers.ts'

export interface ShownQuestion extends Question {
  label: string
  help?: string | null
}

export interface OpenForm extends Stored<'form', 'id' | 'slug' | 'title' | 'description' | 'success_message' | 'submit_label'> {
  fields: readonly ShownQuestion[]
  /** The text that people agree to, of the form or of the school; null if there is none. */
  consent_text: string | null
  /** True if the confirmation to the sender contains the answers. */
  copies_answers: boolean
}

export async function findOpenForm(database: SchoolReader, slug: string): Promise<OpenForm | undefined> {
  const row = await database
    .selectFrom('form')
    .innerJoin('school', 'school.id', 'form.school_id')
    .select(['form.id', 'form.slug', 'form.title', 'form.description', 'form.success_message', 'form.submit_label', 'form.consent_text'])
    .select('form.copies_answers')
    .select((form) => [
      form.ref('form.fields').$castTo<readonly ShownQuestion[]>().as('fields'),
      form.ref('school.settings').$castTo<{ form_consent_text?: string | null }>().as('settings'),
    ])
    .where('form.slug', '=', slug)
    .where(isOpenForm)
    .where((form) => form.or([form('form.opens_at', 'is', null), form('form.opens_at', '<=', now)]))
    .executeTakeFirst()
  if (!row) return undefined
  const { settings, ...form } = row
  return { ...form, consent_text: form.consent_text ?? consentOf(settings, form.fields) }
}

/** The text of the school does not apply to a form that asks for consent with a question. */
const consentOf = ({ form_consent_text: text }: { form_consent_text?: string | null }, questions: readonly Question[]): string | null =>
  questions.some(({ kind }) => kind === 'consent') ? null : (text ?? null)
