import { z } from 'zod'

const cursor = (which: string) =>
  z
    .string()
    .nullable()
    .meta({ description: `Cursor of the ${which} page.`, example: null })

const page = z.object({
  limit: z.int().meta({ description: 'Elements per page.', example: 20 }),
  has_more: z.boolean().meta({ description: 'True if there is a next page.', example: false }),
  next_cursor: cursor('next'),
  prev_cursor: cursor('previous'),
})

/** Returns the response schema of a read that is paged by a member of its elements. It has the form of every list. */
export const listOf = <Element extends z.ZodObject>(element: Element, description: string) =>
  z.object({
    object: z.literal('list').meta({ description: 'Type of the object.', example: 'list' }),
    data: z.array(element).meta({ description, example: [] }),
    page: page.meta({ description: 'The page, and how to get the others.', example: { limit: 20, has_more: false } }),
  })
