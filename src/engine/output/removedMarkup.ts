import { z } from 'zod'
import { membersOf } from '../declare/views.ts'

/** The parts that sanitising removed from rich texts: only in the responses to writes. */
const removed = z
  .array(z.string().meta({ description: 'An element, with its address or with the attribute that was removed.', example: 'script' }))
  .optional()
  .meta({
    description:
      'Only in the response to a write: what pages do not show of the sent text, at most 20 parts: elements, attributes, addresses, and pictures of other sites, which are shown as links. Absent if nothing was.',
    example: ['iframe https://player.example/1', 'script'],
  })

export const withRemoved = (schema: z.ZodObject): z.ZodObject =>
  Object.keys(membersOf(schema)).some((name) => /_(format|html)$/.test(name) || name === 'blocks') ? schema.extend({ removed }) : schema
