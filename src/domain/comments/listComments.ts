import type { SchoolReader } from '../../store/database.ts'

export interface CommentFilter {
  status?: string | undefined
  subject?: { type: string; storedId: string } | undefined
  /** Lower-cased. */
  email?: string | undefined
  limit: number
}

/** Returns the comments as the commands of operators show them, newest first. */
export async function listComments(reader: SchoolReader, { status, subject, email, limit }: CommentFilter) {
  return await reader
    .selectFrom('comment')
    .leftJoin('person', 'person.id', 'comment.person_id')
    .select(['comment.id', 'comment.status', 'subject_type', 'subject_id', 'parent_id', 'body', 'comment.created_at'])
    .select(['person.email', 'person.name'])
    .$if(status !== undefined, (comments) => comments.where('comment.status', '=', status ?? ''))
    .$if(subject !== undefined, (comments) =>
      comments.where('subject_type', '=', subject?.type ?? '').where('subject_id', '=', subject?.storedId ?? ''),
    )
    .$if(email !== undefined, (comments) => comments.where('person.email', '=', email ?? ''))
    .orderBy('comment.id', 'desc')
    .limit(limit)
    .execute()
}
