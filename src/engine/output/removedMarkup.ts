import { z } from 'zod'
import { membersOf } from '../declare/views.ts'

/** The parts that sanitising removed from texts in HTML: only in the responses to writes. */
const removed = z
  .array(z.string().meta({ description: 'An element with its address, or an element and an attribute.', example: 'script' }))
  .optional()
  .meta({
    description: 'Only in the response to a write: what was removed from the sent HTML, at most 20 parts. Absent if nothing was.',
    example: ['iframe https://player.example/1', 'script'],
  })

export const withRemoved = (schema: z.ZodObject): z.ZodObject =>
  Object.keys(membersOf(schema)).some((name) => name.endsWith('_format') || name === 'blocks') ? schema.extend({ removed }) : schema
