import { z } from 'zod'
import { fromPublicId } from '../../lib/ids.ts'
import { timeValue } from './times.ts'
import { isShownIn, type View } from './views.ts'

/** The schema of a field as a client may send it: strict at any depth, without what its view does not show, times in any zone. */
export function writeForm(schema: z.ZodType, view: View): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Record<string, z.ZodType>)
      .filter(([, field]) => isShownIn(view, field) && isSendable(field))
      .map(([name, field]) => [name, writeForm(field, view)])
    // A clone keeps the refinements of the object.
    return schema.clone({ ...schema.def, shape: Object.fromEntries(shape), catchall: z.never() })
  }
  if (schema instanceof z.ZodNullable) return writeForm(schema.unwrap() as z.ZodType, view).nullable()
  if (schema instanceof z.ZodOptional) return writeForm(schema.unwrap() as z.ZodType, view).optional()
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return writeForm(schema.unwrap() as z.ZodType, view).default(schema.def.defaultValue as never)
  if (schema instanceof z.ZodArray) return schema.clone({ ...schema.def, element: writeForm(schema.element as z.ZodType, view) })
  if (schema instanceof z.ZodDiscriminatedUnion)
    return schema.clone({ ...schema.def, options: (schema.options as z.ZodObject[]).map((option) => writeForm(option, view)) as never })
  if (schema instanceof z.ZodISODateTime) return timeValue.transform((text) => new Date(text).toISOString())
  return schema
}

/** Whether a member of an object may be sent at all. */
export const isSendable = (schema: z.ZodType): boolean => schema.meta()?.readOnly !== true

/** A value as its column takes it: times as such, ids without their prefix, objects as JSON. */
export function toColumn(schema: z.ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  const idPrefix = schema.meta()?.idPrefix
  if (idPrefix !== undefined) return fromPublicId(idPrefix, value as string)
  if (isWrapper(schema)) return toColumn(schema.unwrap() as z.ZodType, value)
  if (schema instanceof z.ZodISODateTime) return new Date(value as string)
  const isList = schema instanceof z.ZodArray && !(schema.element instanceof z.ZodObject)
  return typeof value === 'object' && !isList ? JSON.stringify(value) : value
}

/** The schema without what says that a value may be absent. */
export const unwrapped = (schema: z.ZodType): z.ZodType => (isWrapper(schema) ? unwrapped(schema.unwrap() as z.ZodType) : schema)

const isWrapper = (schema: z.ZodType): schema is z.ZodNullable | z.ZodOptional | z.ZodDefault | z.ZodPrefault =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault
