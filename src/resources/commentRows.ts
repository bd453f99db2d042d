import { z } from 'zod'

// The fields of comments that the public pages show.

export const commentItemRow = z.object({
  id: z.string(),
  author: z.object({ id: z.string().nullable(), display_name: z.string() }),
  parent_id: z.string().nullable(),
  body_html: z.string().nullable(),
  created_at: z.string(),
})

/** A row that people can comment on. */
export const commentedRow = z.object({ id: z.string() })
