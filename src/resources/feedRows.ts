import { z } from 'zod'

const text = z.string().nullable().default(null)

export const feedRow = z.object({
  id: z.string(),
  title: z.string(),
  slug: z.string(),
  excerpt: text,
  published_at: text,
  updated_at: z.string(),
  tags: z.array(z.string()).default([]),
  author: z.object({ display_name: z.string() }),
})

export const sitemapRow = z.object({
  slug: z.string(),
  updated_at: z.string(),
  seo: z
    .object({ noindex: z.boolean().default(false) })
    .nullable()
    .optional(),
})
