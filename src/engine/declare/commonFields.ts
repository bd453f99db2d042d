import { z } from 'zod'
import { reference, timestamp } from './fields.ts'

export const commonTimes: readonly string[] = ['created_at', 'updated_at']

export function withCommonFields(schema: z.ZodObject, object: string, idPrefix: string): z.ZodObject {
  return z.object({
    id: reference(idPrefix, 'Unique id; never changes. Ids of one type sort by creation time.'),
    object: z.literal(object).meta({ description: 'Type of this object.' }),
    ...schema.shape,
    created_at: timestamp().meta({ description: 'Creation time.', example: '2026-03-01T09:30:00.000Z' }),
    updated_at: timestamp().meta({ description: 'Time of the last change.', example: '2026-03-01T09:30:00.000Z' }),
  })
}
