import { z } from 'zod'
import { exampleId, toPublicId } from '../../base/ids.ts'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { everything, idIn } from '../../engine/declare/expressions.ts'
import { reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { lessons } from '../curriculum/lessons.ts'
import { events } from '../events/events.ts'
import { members } from '../members/members.ts'
import { type StoredSummary, summaryOf } from '../people/personSummaries.ts'
import { personSummary, summaryFrom } from '../people/personSummary.ts'
import { posts } from '../posts/posts.ts'
import {
  isInTaughtCourse,
  isOnOpenSubject,
  isOnPublicSubject,
  isOnSubject,
  isReplyTo,
  type SubjectType,
  subjectOf,
  subjects,
} from './commentAccess.ts'

const subjectType = z.enum(['post', 'lesson', 'event']).meta({ component: 'CommentSubjectType' })
const anyId = (prefixes: readonly string[]) => new RegExp(`^(${prefixes.join('|')})_[0-7][0-9a-hjkmnp-tv-z]{25}$`)

const isSubject = (subject: unknown): subject is { type: SubjectType; id: string } => idIn(subject) !== null

const under = (resource: () => Resource, type: SubjectType) => ({
  resource,
  byId: true as const,
  where: (comment: Parameters<typeof isOnSubject>[0], id: string) =>
    comment.and([comment('comment.subject_type', '=', type), comment('comment.subject_id', '=', id)]),
})

export const commentSchema = z.object({
  subject: z
    .object({
      type: subjectType.meta({ description: 'Type of the subject.', example: 'post' }),
      id: z.string().meta({ description: 'Id of the subject.', example: 'pst_01jgwejj00e6srgkpqm2sqf05m' }),
      title: z.string().nullable().meta({ description: 'Title of the subject.', example: 'What the first firing taught us' }),
    })
    .meta({
      description: 'Subject of the comment. With expand=subject the whole post, lesson or event; null if you cannot see it.',
      example: {},
    }),
  course_id: reference('crs', 'Course of the lesson.')
    .nullable()
    .meta({ description: 'Course of the lesson.', example: null, idPrefix: 'crs' }),
  author: personSummary('Author of the comment.'),
  author_role: z
    .enum(['member', 'lecturer', 'staff'])
    .meta({ description: 'Role of the author at the time of the comment.', example: 'member' }),
  parent_id: reference('cmt', 'Comment that it replies to.')
    .nullable()
    .meta({ description: 'Comment that it replies to.', example: null, idPrefix: 'cmt' }),
  depth: z.int().meta({ description: '0 for a comment, 1 for a reply.', example: 0 }),
  body: z.string().nullable().meta({ description: 'Text; null if the comment was deleted.', example: 'Which clay was that?' }),
  body_html: z.string().nullable().meta({ description: 'The text as sanitised HTML.', example: '<p>Which clay was that?</p>' }),
  status: z.enum(['published', 'pending', 'hidden', 'deleted']).meta({ component: 'CommentStatus' }).meta({
    description: 'Only moderators see pending and hidden comments. A deleted comment with replies remains as a placeholder.',
    example: 'published',
  }),
  replies_count: z.int().meta({ description: 'Number of published replies.', example: 1 }),
  reactions_count: z.int().meta({ description: 'Number of reactions.', example: 2 }),
  edited_at: timestamp().nullable().meta({ description: 'When the author last changed it.', example: null }),
  moderation: z
    .object({
      by: z.string().nullable().meta({ description: 'Name of the moderator.', example: 'Hazel Lanternfield' }),
      at: z.string().nullable().meta({ description: 'When the decision was made.', example: '2026-03-01T09:30:00.000Z' }),
      reason: z.string().nullable().meta({ description: 'Reason.', example: 'Spam' }),
    })
    .nullable()
    .meta({ description: 'Decision of a moderator, or why the comment waits for one.', example: null, view: 'staff' }),
})

export const comments = defineResource({
  name: 'comments',
  object: 'comment',
  idPrefix: 'cmt',
  table: 'comment',
  feature: 'community',
  anonymous: 'partial',
  catalogue: false,
  about:
    'A comment on a post, a lesson or an event. People see the comments on subjects that they can open; lecturers see all comments on their courses, and staff see all comments.',
  notInApi:
    'Not in this API: writing, answering, approving, hiding and deleting comments. People comment, and the school moderates, on its own site.',
  scopes: {
    read: {
      learner: 'See the comments that are open to you',
      lecturer: 'See the comments that are open to you, and all comments in your courses',
      staff: 'See all comments, including hidden ones',
      othersData: ['lecturer', 'staff'],
    },
  },
  schema: commentSchema,
  derived: {
    subject: {
      select: subjectOf,
      of: ({ type, id, title }: { type: SubjectType; id: string; title: string | null }) => ({
        type,
        id: toPublicId(subjects[type], id),
        title,
      }),
    },
    author: {
      select: (comment) => summaryOf(comment, 'comment'),
      of: (person: StoredSummary | null, context) => summaryFrom(person, context),
    },
    depth: { from: ['parent_id'], of: ({ parent_id }) => (parent_id === null ? 0 : 1) },
    body: { from: ['body', 'status'], of: ({ body, status }) => (status === 'deleted' ? null : body) },
    body_html: { from: ['body_html', 'status'], of: ({ body_html, status }) => (status === 'deleted' ? null : body_html) },
  },
  filters: [
    {
      name: 'subject_type',
      description: 'post, lesson or event',
      value: subjectType,
      where: (comment, types: readonly string[]) => comment('subject_type', 'in', [...types]),
    },
    {
      name: 'subject_id',
      description: 'the id of a post, a lesson or an event',
      value: z
        .string()
        .regex(anyId(Object.values(subjects)), 'must be the id of a post, a lesson or an event')
        .meta({ example: exampleId('pst') }),
      where: isOnSubject,
    },
    {
      name: 'course_id',
      description: 'the id of a course',
      value: reference('crs', 'Id of a course.'),
      where: (comment, ids: readonly string[]) => comment('course_id', 'in', [...ids]),
    },
    {
      name: 'author_id',
      description: 'the id of a member',
      value: reference('mbr', 'Id of a member.'),
      where: (comment, ids: readonly string[]) => comment('person_id', 'in', [...ids]),
    },
    'status',
    {
      name: 'parent_id',
      description: 'the id of the comment that it replies to, or none',
      value: z
        .string()
        .regex(/^(none|cmt_[0-7][0-9a-hjkmnp-tv-z]{25})$/, 'must be the id of a comment, or none')
        .meta({ example: 'none' }),
      where: isReplyTo,
    },
    'created_at',
    'updated_at',
  ],
  search: [{ staff: 'body' }],
  sorts: ['-created_at', 'updated_at'],
  exports: true,
  expand: {
    author: {
      resource: (): Resource => members,
      id: (row) => idIn(row.author),
    },
    // A reader of a comment may see less of its subject, such as the outline of a lesson: the visibility of the subject decides.
    subject: {
      resources: (): Resource[] => [posts, lessons, events],
      reference: ({ subject }) => (isSubject(subject) ? { object: subject.type, id: subject.id } : null),
    },
  },
  listedUnder: [under(() => posts, 'post'), { ...under(() => lessons, 'lesson'), isClosed: true }, under(() => events, 'event')],
  visibility: {
    anonymous: isOnPublicSubject,
    learner: isOnOpenSubject,
    lecturer: (comment, me) => comment.or([isOnOpenSubject(comment, me), isInTaughtCourse(comment, me)]),
    staff: everything,
  },
  views: { staff: isInTaughtCourse },
  operations: { list: 'read', get: 'read' },
})
