import type { SchoolReader } from '../../store/database.ts'

export interface FormFilter {
  status?: string | undefined
  limit: number
}

/** Returns the forms as the commands of operators show them, newest first. */
export async function listForms(reader: SchoolReader, { status, limit }: FormFilter) {
  return await reader
    .selectFrom('form')
    .select(['id', 'slug', 'title', 'status', 'opens_at', 'closes_at', 'submissions_count', 'last_submission_at', 'notifies_staff'])
    .$if(status !== undefined, (forms) => forms.where('status', '=', status ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}
