import type { SchoolReader, Stored } from '../../database/connection/database.ts'
import { countByDay, countChoices } from '../../database/tables/formExpressions.ts'

export interface FormField {
  key: string
  kind: string
  options?: string[]
}

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

export async function questionKeys(database: SchoolReader, formIds: readonly string[] | undefined): Promise<string[]> {
  let forms = database.selectFrom('form').select(['fields']).orderBy('id')
  if (formIds) forms = forms.where('id', 'in', [...formIds])
  const rows = await forms.execute()
  return [...new Set(rows.flatMap((form) => fieldsOf(form).map(({ key }) => key)))]
}
