import { z } from 'zod'
import { fromPublicId, toPublicId } from '../../base/ids.ts'
import { isoText } from '../../base/text/isoText.ts'
import { objectBuilder } from '../../base/text/objectBuilder.ts'
import { timeValue } from './times.ts'

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

/** Makes the value of a view when it is first read: few processes need all of them. */
export function forEachViewOnDemand<Value>(make: (view: View) => Value): Readonly<Record<View, Value>> {
  const made = new Map<View, Value>()
  const of = (view: View): Value => {
    const value = made.get(view) ?? make(view)
    made.set(view, value)
    return value
  }
  return {
    get public() {
      return of('public')
    },
    get own() {
      return of('own')
    },
    get staff() {
      return of('staff')
    },
  }
}

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

/** Returns the schema with the example of a wrapper of it. */
export function withExampleOf(inner: z.ZodType, wrapper: z.ZodType): z.ZodType {
  const { example } = wrapper.meta() ?? {}
  return example === undefined ? inner : inner.meta({ ...inner.meta(), example })
}

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

export type Wrapper = z.ZodNullable<z.ZodType> | z.ZodOptional<z.ZodType> | z.ZodDefault<z.ZodType> | z.ZodPrefault<z.ZodType>

export const isWrapper = (schema: z.ZodType): schema is Wrapper =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault

export const unwrapped = (schema: z.ZodType): z.ZodType => (isWrapper(schema) ? unwrapped(schema.unwrap()) : schema)

// Zod types the parts of a schema as core schemas, which lack the methods. Every schema here is built with `z`, so its parts have them.

export const membersOf = ({ shape }: { shape: z.core.$ZodShape }): Readonly<Record<string, z.ZodType>> =>
  shape as Readonly<Record<string, z.ZodType>>

export const optionsOf = ({ options }: z.ZodUnion): z.ZodType[] => [...(options as readonly z.ZodType[])]

export const isObjectSchema = (schema: z.ZodType): schema is z.ZodObject => schema instanceof z.ZodObject

export const isNullable = (schema: z.ZodType): schema is z.ZodNullable<z.ZodType> => schema instanceof z.ZodNullable

export const isOptional = (schema: z.ZodType): schema is z.ZodOptional<z.ZodType> => schema instanceof z.ZodOptional

export const hasDefault = (schema: z.ZodType): schema is z.ZodDefault<z.ZodType> | z.ZodPrefault<z.ZodType> =>
  schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault

export const isArray = (schema: z.ZodType): schema is z.ZodArray<z.ZodType> => schema instanceof z.ZodArray

export const isRecord = (schema: z.ZodType): schema is z.ZodRecord<z.ZodString, z.ZodType> => schema instanceof z.ZodRecord

export const isUnion = (schema: z.ZodType): schema is z.ZodDiscriminatedUnion<readonly [z.ZodObject, ...z.ZodObject[]]> =>
  schema instanceof z.ZodDiscriminatedUnion
