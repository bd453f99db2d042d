import { z } from 'zod'
import { toPublicId, uuidOf } from '../../base/ids.ts'
import { line } from '../../engine/declare/fields.ts'
import { type Decision, moderateComment } from '../comments/moderateComment.ts'
import { communityOperations } from './communityOperations.ts'
import { formOperations } from './formOperations.ts'
import { orderOperations } from './orderOperations.ts'
import { definePlatformOperation, type PlatformOperation } from './runReport.ts'

const example = toPublicId('cmt', '01942bc1-1a80-7000-8000-000000000001')

const input = z.object({
  moderator: line(120).nullable().default(null).meta({ description: 'Name of the moderator.', example: 'Hazel Lanternfield' }),
  reason: line(500).nullable().default(null).meta({ description: 'Reason, which only moderators see.', example: 'Insult' }),
})

const output = {
  name: 'ModeratedComment',
  schema: z.object({
    object: z.literal('comment').meta({ description: 'The type of the object.' }),
    id: z.string().meta({ description: 'Id of the comment.', example }),
    status: z.enum(['published', 'hidden', 'deleted']).meta({ description: 'Status of the comment.', example: 'published' }),
  }),
}

const moderation = (decision: Decision, { id, summary, description }: { id: string; summary: string; description: string }) =>
  definePlatformOperation({
    ...{ id, summary, description, input, output },
    tag: 'comments',
    path: `/comments/{comment}/${decision}`,
    parameter: { name: 'comment', description: 'Id of the comment.', example, form: /^cmt_[0-7][0-9a-hjkmnp-tv-z]{25}$/ },
    successStatus: 200,
    event: 'platform.comment_moderated',
    async run({ writer, school, now }, { moderator, reason }, comment) {
      const decided = { schoolId: school.id, now, id: uuidOf('cmt', comment), decision, by: moderator, reason }
      const { status } = await moderateComment(writer, decided)
      return { object: 'comment', id: comment, status }
    },
  })

const moderationOperations = [
  moderation('approve', {
    id: 'approveComment',
    summary: 'Publish a comment that waits or is hidden',
    description:
      'The comment is shown and counted, and so are the replies that were hidden with it. A reply can be approved if the comment above it is published or deleted.',
  }),
  moderation('hide', {
    id: 'hideComment',
    summary: 'Hide a comment',
    description: 'Only moderators see the comment. Its published replies are hidden with it, and return when it is approved.',
  }),
  moderation('spam', {
    id: 'markCommentAsSpam',
    summary: 'Hide a comment as spam',
    description: 'As for hiding, with the reason “Spam”.',
  }),
  moderation('delete', {
    id: 'deleteComment',
    summary: 'Delete a comment',
    description: 'The text is deleted for ever. The comment remains as a placeholder while it has replies.',
  }),
]

export const platformOperations: readonly PlatformOperation[] = [
  ...orderOperations,
  ...communityOperations,
  ...moderationOperations,
  ...formOperations,
]
