import { z } from 'zod'
import { fromPublicId } from '../../base/ids.ts'
import { hasDefault, isArray, isNullable, isObjectSchema, isOptional, isUnion, isWrapper, membersOf } from './schemas.ts'
import { timeValue } from './times.ts'
import { isShownIn, type View } from './views.ts'

/** Returns the schema of a field in a request: strict at any depth, limited to members that the view shows, times in any zone. */
export function writeForm(schema: z.ZodObject, view: View): z.ZodObject
export function writeForm(schema: z.ZodType, view: View): z.ZodType
export function writeForm(schema: z.ZodType, view: View): z.ZodType {
  if (isObjectSchema(schema)) {
    const shape = Object.entries(membersOf(schema))
      .filter(([, field]) => isShownIn(view, field) && isSendable(field))
      .map(([name, field]) => [name, described(writeForm(field, view), field)])
    // Cloning keeps the refinements of the object, and with its parent the metadata.
    return schema.clone({ ...schema.def, shape: Object.fromEntries(shape), catchall: z.never() }, { parent: true })
  }
  if (isNullable(schema)) return writeForm(schema.unwrap(), view).nullable()
  if (isOptional(schema)) return writeForm(schema.unwrap(), view).optional()
  if (hasDefault(schema)) return writeForm(schema.unwrap(), view).default(() => schema.def.defaultValue)
  if (isArray(schema)) return schema.clone({ ...schema.def, element: writeForm(schema.element, view) })
  if (isUnion(schema)) {
    const [first, ...others] = schema.options
    const options = [writeForm(first, view), ...others.map((option) => writeForm(option, view))] as const
    return schema.clone({ ...schema.def, options }, { parent: true })
  }
  if (schema instanceof z.ZodISODateTime) return timeValue.transform((text) => new Date(text).toISOString())
  return schema
}

/** Returns the form of a schema with its description, which a new wrapper does not have. */
export const described = (form: z.ZodType, { description }: z.ZodType): z.ZodType => (description ? form.meta({ description }) : form)

export const isSendable = (schema: z.ZodType): boolean => schema.meta()?.readOnly !== true

/** Converts a value for its column: times to dates, ids to UUIDs, objects and lists of objects to JSON. */
export function toColumn(schema: z.ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return null
  const idPrefix = schema.meta()?.idPrefix
  if (idPrefix !== undefined) return fromPublicId(idPrefix, String(value))
  if (isWrapper(schema)) return toColumn(schema.unwrap(), value)
  if (schema instanceof z.ZodISODateTime) return new Date(String(value))
  const isList = schema instanceof z.ZodArray && !(schema.element instanceof z.ZodObject)
  return typeof value === 'object' && !isList ? JSON.stringify(value) : value
}
