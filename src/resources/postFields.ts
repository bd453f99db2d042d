import { z } from 'zod'
import { externalId, line, metadata, reference, slug, timestamp } from '../framework/declare/fields.ts'
import { image } from '../framework/declare/image.ts'
import { markupText } from '../framework/declare/richText.ts'
import { markupLimitsText } from '../lib/markupLimits.ts'
import { seo } from './seo.ts'

const time = (description: string) => timestamp().nullable().meta({ description, example: null })

/** How a post can stand. */
export const postStatus = z.enum(['draft', 'scheduled', 'published', 'archived'])

/** What a post is made of. */
export const postSchema = z.object({
  title: line(200).meta({ description: 'Title of the post.', example: 'What the first firing taught us' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'first-firing' }),
  kind: z.enum(['article', 'announcement']).default('article').meta({ description: 'What it is.', example: 'article' }),
  status: postStatus.meta({
    description: 'Visitors see published posts. What is scheduled is published once its time has come.',
    example: 'published',
  }),
  visibility: z
    .enum(['public', 'members', 'paid', 'plans'])
    .default('public')
    .meta({ description: 'Who reads it to its end; everybody sees that it is there.', example: 'public' }),
  plan_ids: z
    .array(reference('mpl', 'Id of a membership plan.'))
    .max(50)
    .meta({ description: 'Plans that open it; only with the visibility plans.', example: [] }),
  excerpt: z.string().max(300).nullable().meta({
    description:
      'Text for lists, shown to everybody. Without one, and after null, a post with the visibility public shows the first words of its text; any other shows none.',
    example: 'Three bowls cracked.',
  }),
  content: markupText(200_000, 'The text.')
    .nullable()
    .meta({ description: `The text; absent for those to whom it is closed. ${markupLimitsText}`, example: '## The kiln', view: 'own' }),
  content_format: z
    .enum(['markdown', 'html'])
    .default('markdown')
    .meta({ description: 'How the text is written.', example: 'markdown', view: 'own' }),
  content_html: z
    .string()
    .nullable()
    .meta({ description: 'The text as HTML that is safe to show.', example: '<h2>The kiln</h2>', view: 'own' }),
  content_access: z.enum(['full', 'preview', 'locked']).meta({
    description: 'full: you read all of it. preview: you are signed in, and it is for others. locked: it is not for visitors.',
    example: 'full',
  }),
  cover_image: image('Picture of the post.').nullable().meta({ description: 'Picture of the post.', example: null }),
  author: z
    .object({
      lecturer_id: reference('lec', 'Profile of the author.')
        .nullable()
        .meta({ description: 'Profile of the author.', example: null, idPrefix: 'lec' }),
      display_name: z.string().meta({ description: 'Who wrote it: a lecturer, or the school.', example: 'Marlo Quillfeather' }),
      avatar: image('Picture of the author.').nullable().meta({ description: 'Picture of the author.', example: null }),
    })
    .meta({ description: 'Who wrote it.', example: {} }),
  tags: z
    .array(line(40))
    .max(20)
    .meta({ description: 'Words to find it by.', example: ['kiln'] }),
  pinned: z.boolean().default(false).meta({ description: 'Whether the school puts it before the others; three at most.', example: false }),
  comments_enabled: z.boolean().default(true).meta({ description: 'Whether its comments are shown.', example: true }),
  comments_count: z.int().meta({ description: 'Comments that are published.', example: 3 }),
  reading_minutes: z.int().meta({ description: 'How long it takes to read.', example: 4 }),
  scheduled_for: time('When it will be published.'),
  published_at: timestamp().nullable().meta({ description: 'When it was published.', example: '2026-03-01T09:30:00.000Z' }),
  archived_at: time('When it was archived.'),
  seo,
  external_id: externalId(),
  metadata: metadata(),
})
