import { z } from 'zod'
import { fromPublicId } from '../../lib/ids.ts'
import { hasDefault, isArray, isNullable, isObjectSchema, isOptional, isUnion, isWrapper, membersOf } from './schemas.ts'
import { timeValue } from './times.ts'
import { isShownIn, type View } from './views.ts'

/** The schema of a field as a client may send it: strict at any depth, without what its view does not show, times in any zone. */
export function writeForm(schema: z.ZodObject, view: View): z.ZodObject
export function writeForm(schema: z.ZodType, view: View): z.ZodType
export function writeForm(schema: z.ZodType, view: View): z.ZodType {
  if (isObjectSchema(schema)) {
    const shape = Object.entries(membersOf(schema))
      .filter(([, field]) => isShownIn(view, field) && isSendable(field))
      .map(([name, field]) => [name, writeForm(field, view)])
    // A clone keeps the refinements of the object.
    return schema.clone({ ...schema.def, shape: Object.fromEntries(shape), catchall: z.never() })
  }
  if (isNullable(schema)) return writeForm(schema.unwrap(), view).nullable()
  if (isOptional(schema)) return writeForm(schema.unwrap(), view).optional()
  if (hasDefault(schema)) return writeForm(schema.unwrap(), view).default(() => schema.def.defaultValue)
  if (isArray(schema)) return schema.clone({ ...schema.def, element: writeForm(schema.element, view) })
  if (isUnion(schema)) {
    const [first, ...others] = schema.options
    return schema.clone({ ...schema.def, options: [writeForm(first, view), ...others.map((option) => writeForm(option, view))] })
  }
  if (schema instanceof z.ZodISODateTime) return timeValue.transform((text) => new Date(text).toISOString())
  return schema
}

/** Whether a member of an object may be sent at all. */
export const isSendable = (schema: z.ZodType): boolean => schema.meta()?.readOnly !== true

/** A value as its column takes it: times as such, ids without their prefix, objects as JSON. */
export function toColumn(schema: z.ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  const idPrefix = schema.meta()?.idPrefix
  if (idPrefix !== undefined) return fromPublicId(idPrefix, String(value))
  if (isWrapper(schema)) return toColumn(schema.unwrap(), value)
  if (schema instanceof z.ZodISODateTime) return new Date(String(value))
  const isList = schema instanceof z.ZodArray && !(schema.element instanceof z.ZodObject)
  return typeof value === 'object' && !isList ? JSON.stringify(value) : value
}
