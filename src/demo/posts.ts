import { z } from 'zod'
import { readDemoFile } from './readDemoFile.ts'

const post = z.strictObject({
  slug: z.string(),
  title: z.string(),
  kind: z.enum(['article', 'announcement']).default('article'),
  status: z.enum(['draft', 'scheduled', 'published']).default('published'),
  visibility: z.enum(['public', 'members', 'paid', 'plans']).default('public'),
  /** Slug of the lecturer who wrote it; null: the school. */
  author: z.string().nullable(),
  tags: z.array(z.string()),
  days_ago: z.int(),
  pinned: z.boolean().default(false),
  text: z.string(),
})

/** A post of the demo school. Days count back from now: a negative number is in the future. */
export type DemoPost = z.infer<typeof post>

export const posts: readonly DemoPost[] = readDemoFile('posts', z.array(post))
