import { listComments } from '../../domain/comments/listComments.ts'
import { listForms } from '../../domain/forms/listForms.ts'
import { normaliseEmail } from '../../lib/emailAddress.ts'
import { fromPublicId, toPublicId } from '../../lib/ids.ts'
import { choice, command, jsonOption, schoolOption, text, withDefault } from '../command.ts'
import { usage } from '../failures.ts'
import { limitIn } from '../outboxArguments.ts'
import { moment } from '../table.ts'

/** The subjects of comments, with the prefix of their ids. */
const subjects = [
  { type: 'post', prefix: 'pst' },
  { type: 'lesson', prefix: 'les' },
  { type: 'event', prefix: 'evt' },
] as const

/** Returns the subject that an id names, by its type and its id in the database. */
export function subjectOf(named: string): { type: string; storedId: string } {
  for (const { type, prefix } of subjects) {
    const storedId = fromPublicId(prefix, named)
    if (storedId !== undefined) return { type, storedId }
  }
  throw usage(`${named} is not the id of a post, a lesson or an event (pst_, les_ or evt_ and 26 characters)`)
}

function publicSubject(type: string, storedId: string): string {
  const subject = subjects.find((one) => one.type === type)
  return subject ? toPublicId(subject.prefix, storedId) : storedId
}

export const formList = command({
  name: 'list',
  summary: 'List forms, newest first, with the number of their submissions.',
  examples: ['forms list', 'forms list --status published --json'],
  options: {
    ...schoolOption,
    ...jsonOption,
    status: choice('status', 'only forms with this status', ['draft', 'published', 'closed']),
    limit: withDefault(text('count', 'maximum number of forms'), '100'),
  },
  async run(session, { status, limit }) {
    const most = limitIn(limit)
    const school = await session.school()
    const forms = await listForms(school.rows, { status, limit: most })
    const rows = forms.map(({ id, opens_at, closes_at, last_submission_at, submissions_count, ...form }) => ({
      id: toPublicId('frm', id),
      ...form,
      submissions: submissions_count,
      last_submission_at: moment(last_submission_at),
      opens_at: moment(opens_at),
      closes_at: moment(closes_at),
    }))
    session.printList(rows, { columns: ['slug', 'title', 'status', 'submissions', 'last_submission_at'], empty: 'no forms' })
  },
})

export const commentList = command({
  name: 'list',
  summary: 'List comments, newest first, such as those that wait for a decision.',
  examples: ['comments list --status pending', 'comments list --author wren@example.org --json'],
  options: {
    ...schoolOption,
    ...jsonOption,
    status: choice('status', 'only comments with this status', ['published', 'pending', 'hidden', 'deleted']),
    subject: text('id', 'only comments on this post, lesson or event'),
    author: text('email', 'only comments of this person'),
    limit: withDefault(text('count', 'maximum number of comments'), '100'),
  },
  async run(session, { status, subject: named, author, limit }) {
    const most = limitIn(limit)
    const subject = named === undefined ? undefined : subjectOf(named)
    const email = author === undefined ? undefined : normaliseEmail(author)
    if (author !== undefined && email === undefined) throw usage(`${author} is not an e-mail address`)
    const school = await session.school()
    const comments = await listComments(school.rows, { status, subject, email, limit: most })
    const rows = comments.map(({ id, subject_type, subject_id, parent_id, body, created_at, ...comment }) => ({
      id: toPublicId('cmt', id),
      status: comment.status,
      subject: publicSubject(subject_type, subject_id),
      reply_to: parent_id && toPublicId('cmt', parent_id),
      author: comment.email,
      author_name: comment.name,
      created_at: moment(created_at),
      text: body,
    }))
    session.printList(rows, { columns: ['id', 'status', 'subject', 'author', 'created_at', 'text'], empty: 'no comments' })
  },
})
