import { z } from 'zod'
import { reference, timestamp } from './fields.ts'
import { isArray, isObjectSchema, isRecord, isUnion, isWrapper, membersOf } from './schemas.ts'

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

/**
 * Rejects a field without a description, at any depth. A method called after `.meta(…)` returns a new schema without the metadata,
 * so a missing description means that the field's view is missing too.
 */
export function checkDescriptions(schema: z.ZodType, path: string): void {
  if (isObjectSchema(schema)) {
    for (const [name, field] of Object.entries(membersOf(schema))) {
      if (!field.meta()?.description)
        throw new Error(`${path}.${name} has no description: .meta({ description }) must come last in its chain`)
      checkDescriptions(field, `${path}.${name}`)
    }
  } else if (isWrapper(schema)) {
    checkDescriptions(schema.unwrap(), path)
  } else if (isUnion(schema)) {
    for (const option of schema.options) checkDescriptions(option, path)
  } else if (isArray(schema)) {
    checkDescriptions(schema.element, path)
  } else if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) {
    throw new Error(`${path} accepts any value: declare each member of the response`)
  } else if (isRecord(schema)) {
    checkDescriptions(schema.valueType, path)
  }
}
