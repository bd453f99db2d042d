import { sql } from 'kysely'
import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { refs } from '../../database/statements/columns.ts'
import { countByDay, countChoices } from '../../database/tables/formExpressions.ts'
import type { Member } from '../../engine/output/csvColumns.ts'

export interface FormField {
  key: string
  label: string
  kind: string
  options?: string[]
}

const submission = refs('form_submission')

type Form = Stored<'form', 'school_id' | 'id' | 'fields'>

const days = 30

const fieldsOf = ({ fields }: Pick<Form, 'fields'>): FormField[] => (fields ?? []) as FormField[]

/**
 * Summarises the submissions of a form: their number, by day, and by chosen option, all without spam, and the number of spam submissions.
 * Options that were never chosen count zero.
 */
export async function summarize(database: SchoolReader, form: Form) {
  const { school_id: schoolId, id: formId } = form
  const chosen = fieldsOf(form).filter(({ kind }) => kind === 'single_choice' || kind === 'multiple_choice')
  const { submissions, spam } = await database
    .selectFrom('form_submission')
    .select((row) => [
      row.fn.countAll<string>().filterWhere('spam', '=', false).as('submissions'),
      row.fn.countAll<string>().filterWhere('spam', '=', true).as('spam'),
    ])
    .where('form_id', '=', formId)
    .executeTakeFirstOrThrow()
  const counts = chosen.length === 0 ? [] : await countChoices(database, { schoolId, formId, keys: chosen.map(({ key }) => key) })
  const choices = chosen.map(({ key, options = [] }) => {
    const found = counts.filter((one) => one.key === key).map(({ option, count: times }) => [option, times] as const)
    return [key, Object.fromEntries([...options.map((option) => [option, 0] as const), ...found])] as const
  })
  return {
    submissions: Number(submissions),
    spam: Number(spam),
    by_day: await countByDay(database, { schoolId, formId, days }),
    choices: Object.fromEntries(choices),
  }
}

/**
 * Returns the questions of these forms in their order, followed by the keys of answers to questions that the forms no longer have. A key that
 * has different questions in different forms has no label.
 */
export async function answeredQuestions(database: SchoolReader, formIds: readonly string[] | undefined): Promise<Member[]> {
  const forms = await database
    .selectFrom('form')
    .select('fields')
    .$if(formIds !== undefined, (query) => query.where('id', 'in', [...(formIds ?? [])]))
    .orderBy('id')
    .execute()
  const answered = await database
    .selectFrom('form_submission')
    .innerJoinLateral(sql<{ key: string }>`jsonb_object_keys(${submission.answers})`.as<'answer'>(sql`answer(key)`), (join) =>
      join.onTrue(),
    )
    .select('answer.key')
    .distinct()
    .$if(formIds !== undefined, (query) => query.where('form_submission.form_id', 'in', [...(formIds ?? [])]))
    .orderBy('answer.key')
    .execute()
  const questions = forms.flatMap(fieldsOf)
  const keys = new Set([...questions, ...answered].map(({ key }) => key))
  return [...keys].map((name) => {
    const [label, ...others] = new Set(questions.filter(({ key }) => key === name).map((question) => question.label))
    return { name, label: others.length === 0 ? label : undefined }
  })
}
