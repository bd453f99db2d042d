import { newId } from '../../base/ids.ts'
import { fieldError, fieldProblem, Problem } from '../../base/problem.ts'
import { normaliseEmail } from '../../base/text/emailAddress.ts'
import type { SchoolWriter } from '../../database/connection/database.ts'
import { now as databaseTime } from '../../database/statements/expressions.ts'
import { recordChange } from '../../database/tables/changeLog.ts'
import { isOpenForm } from '../../database/tables/formExpressions.ts'
import type { InSchool } from '../schoolHandles.ts'
import { type Answer, checkAnswers } from './checkAnswers.ts'
import type { ShownQuestion } from './openForm.ts'

export interface NewSubmission extends InSchool {
  formId: string
  /** By the key of the question. */
  answers: Readonly<Record<string, Answer>>
  /** The person, if the answers do not contain them. */
  contact?: { email?: string | undefined; name?: string | undefined } | undefined
  sourcePath?: string | undefined
  locale?: string | undefined
  spam?: boolean | undefined
  /** The text that the person agreed to, in addition to the questions of the form. */
  consentText?: string | undefined
}

/**
 * Stores a submission of an open form, and connects it to the person of the school with its e-mail address, which it returns. Call it in a
 * transaction.
 * @throws Problem not_found, invalid_state if the form is not open, validation_failed with every wrong answer
 */
export async function submitForm(
  writer: SchoolWriter,
  submission: NewSubmission,
): Promise<{ id: string; formVersion: number; email: string | undefined }> {
  const { now, formId, answers, contact, sourcePath, locale, spam = false } = submission
  const form = await writer
    .selectFrom('form')
    .select((row) => [
      'version',
      row.ref('fields').$castTo<readonly ShownQuestion[]>().as('fields'),
      row.and([isOpenForm, row.or([row('opens_at', 'is', null), row('opens_at', '<=', databaseTime)])]).as('is_open'),
    ])
    .where('id', '=', formId)
    .forUpdate()
    .executeTakeFirst()
  if (!form) throw new Problem('not_found', { description: 'The school has no such form.' })
  if (!form.is_open) throw new Problem('invalid_state', { description: 'The form does not accept submissions at this time.' })
  const questions = form.fields
  const errors = checkAnswers(questions, answers)
  const email = emailIn(submission, questions)
  if (contact?.email !== undefined && normaliseEmail(contact.email) === undefined)
    errors.push(fieldError('contact.email', 'format', 'must be an e-mail address'))
  if (errors.length > 0) throw new Problem('validation_failed', { details: errors })
  const id = newId()
  const address = email === undefined ? undefined : normaliseEmail(email)
  await writer
    .insertInto('form_submission')
    .values((row) => ({
      school_id: writer.schoolId,
      id,
      created_at: now,
      updated_at: now,
      submitted_at: now,
      form_id: formId,
      form_version: form.version,
      answers: JSON.stringify(answers),
      email: address ?? null,
      name: contact?.name ?? textAnswer(answers.name) ?? null,
      person_id: row
        .selectFrom('person')
        .select('person.id')
        .where('person.email', '=', address ?? null)
        .where('person.erased_at', 'is', null),
      source_path: sourcePath ?? null,
      locale: locale ?? null,
      consent_text: agreedTexts(submission, questions),
      spam,
    }))
    .execute()
  await writer
    .updateTable('form')
    .set((row) => ({
      submissions_count: row('submissions_count', '+', 1),
      unreported_count: row('unreported_count', '+', spam ? 0 : 1),
      last_submission_at: now,
    }))
    .where('id', '=', formId)
    .execute()
  await recordChange(writer, { type: 'form_submission', resource_id: id, action: 'created', version: 1 })
  return { id, formVersion: form.version, email: address }
}

/** Returns the e-mail address of the contact, otherwise the first answer to a question for one. */
function emailIn({ contact, answers }: NewSubmission, questions: readonly ShownQuestion[]): string | undefined {
  if (contact?.email !== undefined) return contact.email
  const question = questions.find(({ kind, key }) => kind === 'email' && typeof answers[key] === 'string' && answers[key] !== '')
  return question && textAnswer(answers[question.key])
}

function agreedTexts({ consentText, answers }: NewSubmission, questions: readonly ShownQuestion[]): string | null {
  const agreed = questions.filter(({ kind, key }) => kind === 'consent' && answers[key] === true).map(({ label }) => label)
  const texts = [...(consentText === undefined ? [] : [consentText]), ...agreed]
  return texts.length === 0 ? null : texts.join('\n')
}

const textAnswer = (answer: Answer | undefined): string | undefined =>
  typeof answer === 'string' && answer !== '' ? answer.slice(0, 200) : undefined

export async function requireFormSlug(writer: SchoolWriter, slug: string): Promise<string> {
  const form = await writer.selectFrom('form').select('id').where('slug', '=', slug).executeTakeFirst()
  if (!form) throw fieldProblem('invalid_reference', 'form', 'invalid_reference', 'must be the slug of a form of the school')
  return form.id
}
