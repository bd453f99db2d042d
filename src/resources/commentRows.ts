import { z } from 'zod'

// The fields of comments that the public pages show.

export const commentItemRow = z.object({
  id: z.string(),
  author: z.object({ id: z.string().nullable(), display_name: z.string() }),
  parent_id: z.string().nullable(),
  status: z.string(),
  body: z.string().nullable(),
  body_html: z.string().nullable(),
  created_at: z.string(),
  edited_at: z.string().nullable(),
})

/** A comment, as the people who moderate read it. */
export const moderatedCommentRow = z.object({
  id: z.string(),
  subject: z.object({ type: z.enum(['post', 'lesson', 'event']), id: z.string(), title: z.string().nullable() }),
  course_id: z.string().nullable(),
  author: z.object({ id: z.string().nullable(), display_name: z.string() }),
  body: z.string().nullable(),
  status: z.enum(['published', 'pending', 'hidden', 'deleted']),
  created_at: z.string(),
  moderation: z.object({ reason: z.string().nullable() }).nullable(),
})

export type CommentItem = z.output<typeof commentItemRow>

/** A row that people can comment on. */
export const commentedRow = z.object({ id: z.string() })

export type ModeratedComment = z.output<typeof moderatedCommentRow>
