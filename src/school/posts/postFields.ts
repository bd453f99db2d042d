import { z } from 'zod'
import { markupLimitsText } from '../../base/text/markupLimits.ts'
import { externalId, image, line, metadata, reference, slug, timestamp } from '../../engine/declare/fields.ts'
import { markupText } from '../../engine/declare/richText.ts'
import { seo } from '../settings/seo.ts'

const time = (description: string) => timestamp().nullable().meta({ description, example: null })

export const postStatus = z.enum(['draft', 'scheduled', 'published', 'archived']).meta({ component: 'PostStatus' })

export const postSchema = z.object({
  title: line(200).meta({ description: 'Title of the post.', example: 'What the first firing taught us' }),
  slug: slug().meta({ description: 'Readable key, unique in the school.', example: 'first-firing' }),
  kind: z
    .enum(['article', 'announcement'])
    .meta({ component: 'PostKind' })
    .default('article')
    .meta({ description: 'Kind of post.', example: 'article' }),
  status: postStatus.meta({
    description: 'Visitors see published posts. A scheduled post is published at its scheduled time.',
    example: 'published',
  }),
  visibility: z
    .enum(['public', 'members', 'paid', 'plans'])
    .meta({ component: 'PostVisibility' })
    .default('public')
    .meta({ description: 'Who may read the text. Everybody sees the title and the excerpt.', example: 'public' }),
  plan_ids: z
    .array(reference('mpl', 'Id of a membership plan.'))
    .max(50)
    .meta({ description: 'Plans that give access; only with visibility plans.', example: [] }),
  excerpt: z.string().max(300).nullable().meta({
    description:
      'Text for lists, visible to everybody. If it is null or absent, a public post shows the first words of its text, and other posts show no excerpt.',
    example: 'Three bowls cracked.',
  }),
  content: markupText(200_000, 'The text.')
    .nullable()
    .meta({ description: `The text; absent for callers who may not read it. ${markupLimitsText}`, example: '## The kiln', view: 'own' }),
  content_format: z
    .enum(['markdown', 'html'])
    .meta({ component: 'ContentFormat' })
    .default('markdown')
    .meta({ description: 'Format of the text.', example: 'markdown', view: 'own' }),
  content_html: z.string().nullable().meta({ description: 'The text as sanitised HTML.', example: '<h2>The kiln</h2>', view: 'own' }),
  content_access: z.enum(['full', 'preview', 'locked']).meta({
    description:
      'full: you may read the text. preview: you are signed in but may not read the text. locked: visitors may not read the text.',
    example: 'full',
  }),
  cover_image: image('Picture of the post.').nullable().meta({ description: 'Picture of the post.', example: null }),
  author: z
    .object({
      lecturer_id: reference('lec', 'Profile of the author.')
        .nullable()
        .meta({ description: 'Profile of the author.', example: null, idPrefix: 'lec' }),
      display_name: z.string().meta({ description: 'Name of the author: a lecturer, or the school.', example: 'Marlo Quillfeather' }),
      avatar: image('Picture of the author.').nullable().meta({ description: 'Picture of the author.', example: null }),
    })
    .meta({ description: 'Author of the post.', example: {} }),
  tags: z
    .array(line(40))
    .max(20)
    .meta({ description: 'Tags of the post.', example: ['kiln'] }),
  pinned: z
    .boolean()
    .default(false)
    .meta({ description: 'True if lists show it before other posts. At most three posts can be pinned.', example: false }),
  comments_enabled: z.boolean().default(true).meta({ description: 'True if its comments are shown.', example: true }),
  comments_count: z.int().meta({ description: 'Number of published comments.', example: 3 }),
  reading_minutes: z.int().meta({ description: 'Reading time in minutes.', example: 4 }),
  scheduled_for: time('When it will be published.'),
  published_at: timestamp().nullable().meta({
    description: 'When it was published. Staff can send a past time for a new post: it is published then, without e-mails.',
    example: '2026-03-01T09:30:00.000Z',
  }),
  archived_at: time('When it was archived.'),
  seo,
  external_id: externalId(),
  metadata: metadata(),
})
