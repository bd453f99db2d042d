// More than 250 lines: one declaration.
import { z } from 'zod'
import { defineResource } from '../../engine/declare/defineResource.ts'
import { listOf } from '../../engine/declare/elementList.ts'
import { everything, fromJson } from '../../engine/declare/expressions.ts'
import { imageField, imageOf, reference, timestamp } from '../../engine/declare/fields.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { freeSlug } from '../../engine/declare/slugs.ts'
import { defineAction } from '../../engine/declare/typedOperations.ts'
import type { View } from '../../engine/declare/views.ts'
import { requireOffered } from '../../engine/read/selectRows.ts'
import { formerPaths } from '../formerPaths.ts'
import { lecturers } from '../lecturers/lecturers.ts'
import { requirePublisher } from '../lecturers/requirePublisher.ts'
import { duplicatePost } from './duplicatePost.ts'
import { hasAuthor, hasPostTag, isInStatus, isMyPost, isPublished, isReadableByAll, mayReadPost } from './postAccess.ts'
import { postSchema, postStatus } from './postFields.ts'
import { authorOf, bodyOf, countTags, currentTimes, excerptOf, plansOfPost, type StoredAuthor } from './postParts.ts'
import { publishIfDue, publishPost, removePostParts } from './postStates.ts'
import { checkPost, checkPostCaller, postColumns, savePostParts } from './postWriting.ts'

const times = ['status', 'scheduled_for', 'published_at'] as const
type Timed = Parameters<typeof currentTimes>[0] & { seen_as: View }
// Callers without the staff view see only published posts: the query has compared the times with the database's clock.
const timesNow = (post: Timed) => currentTimes(post, post.seen_as !== 'staff')

export const posts = defineResource({
  name: 'posts',
  object: 'post',
  idPrefix: 'pst',
  table: 'post',
  feature: 'blog',
  anonymous: 'partial',
  about:
    'A post of the school. Everybody can find published posts; the text of a restricted post is visible only to members, to paying members or to subscribers of its plans.',
  undo: true,
  scopes: {
    read: {
      learner: 'See the posts of the school',
      lecturer: 'See the posts of the school, and your own drafts',
      staff: 'See all posts of the school, including drafts',
    },
    write: {
      lecturer: 'Write posts, and change, publish, archive and delete your own',
      staff: 'Write, change, publish, archive and delete posts',
    },
  },
  catalogue: {
    row: ['title', 'slug', 'kind', 'excerpt', 'tags', 'published_at', 'content_access'],
    filters: ['kind', 'tag', 'author_id'],
  },
  schema: postSchema,
  derived: {
    status: { from: times, of: (post) => timesNow(post).status },
    scheduled_for: { from: times, of: (post) => timesNow(post).scheduled_for },
    published_at: { from: times, of: (post) => timesNow(post).published_at, write: (published_at) => ({ published_at }) },
    excerpt: { select: excerptOf, write: (excerpt) => ({ excerpt }) },
    content: { select: bodyOf('content'), write: () => ({}) },
    content_format: { select: bodyOf('content_format'), write: () => ({}) },
    content_html: { select: bodyOf('content_html') },
    content_access: {
      from: [],
      of: ({ seen_as }, { caller }) => (seen_as !== 'public' ? 'full' : caller.kind === 'person' ? 'preview' : 'locked'),
    },
    cover_image: imageField('post', 'cover_image'),
    author: {
      select: authorOf,
      of: (author: StoredAuthor, context) => ({
        lecturer_id: author.lecturer_id ?? null,
        display_name: author.display_name,
        avatar: imageOf(author.avatar ?? null, context),
      }),
    },
    plan_ids: { select: plansOfPost, write: () => ({}) },
  },
  live: { status: 'always', scheduled_for: 'always', published_at: 'always', comments_count: 'always' },
  inputs: z.object({
    author_lecturer_id: reference('lec', 'Id of a lecturer.')
      .nullable()
      .meta({ description: 'Author; null for the school itself. Lecturers can name only themselves.', example: null, idPrefix: 'lec' }),
    former_paths: formerPaths(),
  }),
  currentInputs: { author_lecturer_id: ({ author }) => author?.lecturer_id ?? null },
  writable: [
    'title',
    'slug',
    'kind',
    'visibility',
    'plan_ids',
    'excerpt',
    'content',
    'content_format',
    'cover_image',
    'tags',
    { field: 'pinned', roles: ['staff'] },
    { field: 'published_at', on: 'create', roles: ['staff'] },
    'comments_enabled',
    'seo',
    'external_id',
    'metadata',
  ],
  required: ['title'],
  slugFrom: 'title',
  filters: [
    { name: 'status', description: 'draft, scheduled, published or archived', value: postStatus, where: isInStatus },
    'kind',
    'visibility',
    { name: 'tag', description: 'a tag of the post', value: z.string().min(1).max(40).meta({ example: 'kiln' }), where: hasPostTag },
    { name: 'author_id', description: 'the id of the author, a lecturer', value: reference('lec', 'Id of a lecturer.'), where: hasAuthor },
    'pinned',
    'published_at',
    'created_at',
    'updated_at',
    'slug[prefix]',
    'external_id',
  ],
  search: ['title', 'slug'],
  sorts: ['-published_at', '-created_at', 'updated_at', 'title'],
  staffSort: '-created_at',
  exports: true,
  expand: {
    author: { resource: (): Resource => lecturers, id: (row) => fromJson<StoredAuthor>(row.author).lecturer_id ?? null },
  },
  visibility: {
    anonymous: isPublished,
    learner: isPublished,
    lecturer: (post, me) => post.or([isPublished(post), isMyPost(post, me)]),
    staff: everything,
  },
  views: { staff: isMyPost, own: mayReadPost, open: isReadableByAll },
  lockFirst: publishIfDue,
  checkCaller: checkPostCaller,
  operations: {
    list: 'read',
    get: 'read',
    create: {
      scope: 'write',
      check: checkPost,
      defaults: async (writing, values) => postColumns(values, writing, { isNew: true }),
      after: (writing, post, values) => savePostParts(writing, post, { content: '', ...values }),
    },
    update: {
      scope: 'write',
      view: 'staff',
      needsIfMatch: ['content'],
      check: checkPost,
      before: async (writing, _post, values) => postColumns(values, writing),
      after: savePostParts,
    },
    remove: { scope: 'write', view: 'staff', from: ['draft', 'archived'], before: removePostParts },
  },
  collectionReads: {
    tags: {
      scope: 'read',
      id: 'listPostTags',
      isPublic: 'full',
      summary: 'List the tags of published posts',
      about: 'Each tag of the published posts, with the number of posts that carry it. Use one as the tag filter of the list of posts.',
      output: listOf(
        z.object({
          tag: z.string().meta({ description: 'The tag.', example: 'kiln' }),
          count: z.int().meta({ description: 'Number of posts with this tag.', example: 4 }),
        }),
        'Tags, most common first, at most 1000.',
      ),
      pagedBy: 'tag',
      async run({ database, caller }) {
        await requireOffered(database, { resource: posts, schoolId: database.schoolId, caller })
        return { data: await countTags(database) }
      },
    },
  },
  actions: {
    publish: defineAction('post', {
      scope: 'write',
      view: 'staff',
      summary: 'Publish a post, now or at a future time',
      from: ['draft', 'scheduled', 'published'],
      to: ['published', 'scheduled'],
      input: z.object({
        scheduled_for: timestamp()
          .nullable()
          .optional()
          .meta({ description: 'Time of the publication, at most one year from now. Default: now.', example: null }),
      }),
      requireCaller: requirePublisher,
      run: publishPost,
    }),
    unschedule: {
      scope: 'write',
      view: 'staff',
      summary: 'Cancel the scheduled publication of a post',
      from: ['scheduled'],
      to: 'draft',
      requireCaller: requirePublisher,
      run: async () => ({ scheduled_for: null, published_at: null }),
    },
    unpublish: {
      scope: 'write',
      view: 'staff',
      summary: 'Return a published post to draft',
      from: ['published'],
      to: 'draft',
      requireCaller: requirePublisher,
      run: async () => ({ published_at: null }),
    },
    archive: {
      scope: 'write',
      view: 'staff',
      summary: 'Archive a post',
      from: ['published'],
      to: 'archived',
      requireCaller: requirePublisher,
      run: async ({ now }) => ({ archived_at: now, pinned: false }),
    },
    restore: {
      scope: 'write',
      view: 'staff',
      summary: 'Restore an archived post as a draft',
      from: ['archived'],
      to: 'draft',
      run: async () => ({ archived_at: null, published_at: null }),
    },
    duplicate: {
      scope: 'write',
      view: 'staff',
      summary: 'Duplicate a post as a draft',
      status: 201,
      async perform(writing, post) {
        const { writer } = writing
        const free = (title: string, id: string): Promise<string> => freeSlug(writer, posts, { schoolId: writer.schoolId, title, id })
        return { made: await duplicatePost(writing, post, free) }
      },
    },
  },
})
