import { z } from 'zod'
import { toPublicId } from '../../base/ids.ts'
import { isoText } from '../../base/text/isoText.ts'
import { objectBuilder } from '../../base/text/objectBuilder.ts'
import { hasDefault, isArray, isNullable, isObjectSchema, isOptional, isRecord, isUnion, isWrapper, membersOf } from './schemas.ts'

/** The part of a row that a caller sees. Determined by row and caller, never by a parameter. */
export type View = 'public' | 'own' | 'staff'

export const viewRank = { public: 0, own: 1, staff: 2 } as const satisfies Record<View, number>

/** Returns the narrowest view that shows this field. Views inside `.nullable()` and other wrappers count. */
export function viewOf(schema: z.ZodType): View {
  const stated = schema.meta()?.view
  return stated ?? (isWrapper(schema) ? viewOf(schema.unwrap()) : 'public')
}

export const isOnDemand = (schema: z.ZodType): boolean => schema.meta()?.onDemand ?? false

export const forEachView = <Value>(make: (view: View) => Value): Record<View, Value> => ({
  public: make('public'),
  own: make('own'),
  staff: make('staff'),
})

export const isShownIn = (view: View, schema: z.ZodType): boolean => viewRank[view] >= viewRank[viewOf(schema)]

/** Returns the schema without the fields that the view does not show, at any depth. */
export function narrowed(schema: z.ZodObject, view: View): z.ZodObject {
  const shape = Object.entries(membersOf(schema))
    .filter(([, field]) => isShownIn(view, field))
    .map(([name, field]) => [name, isOnDemand(field) ? narrowedField(field, view).optional() : narrowedField(field, view)])
  return z.strictObject(Object.fromEntries(shape))
}

function narrowedField(field: z.ZodType, view: View): z.ZodType {
  if (isObjectSchema(field)) return narrowed(field, view)
  if (isNullable(field)) return narrowedField(field.unwrap(), view).nullable()
  if (isOptional(field)) return narrowedField(field.unwrap(), view).optional()
  // Responses are always complete: the default replaces a value that the database does not have.
  if (hasDefault(field)) return narrowedField(field.unwrap(), view)
  if (isArray(field)) return field.clone({ ...field.def, element: narrowedField(field.element, view) })
  return field
}

export type Picker = (value: unknown) => unknown
export type ObjectPicker = (value: unknown) => Record<string, unknown>

/**
 * Returns a function that copies only the fields in the view's schema, at any depth. Times become text, stored ids become public ids,
 * absent lists become empty, absent values become their default or null. Fields on demand are not copied.
 */
export function pickerOf(schema: z.ZodObject, view: View): ObjectPicker
export function pickerOf(schema: z.ZodType, view: View): Picker
export function pickerOf(schema: z.ZodType, view: View): Picker {
  if (isObjectSchema(schema)) return objectPicker(schema, view)
  if (isNullable(schema)) {
    const idPrefix = schema.meta()?.idPrefix
    const inner = idPrefix === undefined ? pickerOf(schema.unwrap(), view) : idPicker(idPrefix)
    return (value) => (value === null || value === undefined ? null : inner(value))
  }
  if (isOptional(schema)) {
    const inner = pickerOf(schema.unwrap(), view)
    return (value) => (value === null || value === undefined ? undefined : inner(value))
  }
  if (hasDefault(schema)) {
    const inner = pickerOf(schema.unwrap(), view)
    return (value) => inner(value ?? schema.def.defaultValue)
  }
  if (isArray(schema)) {
    const inner = pickerOf(schema.element, view)
    return (value) => (Array.isArray(value) ? value.map(inner) : [])
  }
  if (isUnion(schema)) return unionPicker(schema, view)
  if (isRecord(schema)) return (value) => value ?? {}
  const idPrefix = schema.meta()?.idPrefix
  return idPrefix === undefined ? plain : idPicker(idPrefix)
}

/** Returns a picker that uses the option of the union that matches the value. */
function unionPicker(schema: z.ZodDiscriminatedUnion<readonly z.ZodObject[]>, view: View): Picker {
  const { discriminator } = schema.def
  const byKind = new Map<unknown, Picker>()
  for (const option of schema.options) {
    const kinds = membersOf(option)[discriminator]
    const picker = objectPicker(option, view)
    if (kinds instanceof z.ZodLiteral) for (const kind of kinds.values) byKind.set(kind, picker)
  }
  return (value) => byKind.get(Object(value)[discriminator])?.(value) ?? null
}

function objectPicker(schema: z.ZodObject, view: View): ObjectPicker {
  const pickers = Object.entries(membersOf(schema))
    .filter(([, field]) => isShownIn(view, field) && !isOnDemand(field))
    .map(([name, field]): [string, (source: Record<string, unknown>) => unknown] => {
      const pick = pickerOf(field, view)
      return [name, (source) => pick(Object.hasOwn(source, name) ? source[name] : undefined)]
    })
  const build = objectBuilder(pickers)
  return (value) => build(Object(value))
}

const idPicker =
  (prefix: string): Picker =>
  (value) =>
    toPublicId(prefix, String(value))

// Rejects an object where the schema declares a plain value, because its members are not declared.
function plain(value: unknown): unknown {
  if (typeof value !== 'object') return value
  return value instanceof Date ? isoText(value) : null
}
