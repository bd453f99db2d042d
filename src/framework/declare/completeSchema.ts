import { z } from 'zod'
import { reference, timestamp } from './fields.ts'
import { isArray, isObjectSchema, isRecord, isUnion, isWrapper, membersOf } from './schemas.ts'

/** The declared schema between the fields that every resource has. */
export function withCommonFields(schema: z.ZodObject, object: string, idPrefix: string): z.ZodObject {
  return z.object({
    id: reference(idPrefix, 'Never changes. Ids of one kind sort by creation.'),
    object: z.literal(object).meta({ description: 'What this is.' }),
    ...schema.shape,
    created_at: timestamp().meta({ description: 'When it was made.', example: '2026-03-01T09:30:00.000Z' }),
    updated_at: timestamp().meta({ description: 'When it was last changed.', example: '2026-03-01T09:30:00.000Z' }),
  })
}

/**
 * Refuses a field without a description, at any depth. Whatever follows `.meta(…)` in a chain makes a new schema without it:
 * a lost description would be a lost view as well.
 */
export function checkDescriptions(schema: z.ZodType, path: string): void {
  if (isObjectSchema(schema)) {
    for (const [name, field] of Object.entries(membersOf(schema))) {
      if (!field.meta()?.description)
        throw new Error(`${path}.${name} has no description: .meta({ description }) must stand last in its chain`)
      checkDescriptions(field, `${path}.${name}`)
    }
  } else if (isWrapper(schema)) {
    checkDescriptions(schema.unwrap(), path)
  } else if (isUnion(schema)) {
    for (const option of schema.options) checkDescriptions(option, path)
  } else if (isArray(schema)) {
    checkDescriptions(schema.element, path)
  } else if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) {
    throw new Error(`${path} may be anything: what leaves the service is named member by member`)
  } else if (isRecord(schema)) {
    checkDescriptions(schema.valueType, path)
  }
}
