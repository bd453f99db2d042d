import { z } from 'zod'
import { toPublicId } from '../../lib/ids.ts'

/** How much of a row a caller sees. Decided per row and request, never by a parameter. */
export type View = 'public' | 'own' | 'staff'

/** Which view shows more. */
export const breadth = { public: 0, own: 1, staff: 2 } as const satisfies Record<View, number>

/** The narrowest view that shows this field. A view inside `.nullable()` and the like counts as well. */
export function viewOf(schema: z.ZodType): View {
  const stated = schema.meta()?.view
  return stated ?? (isWrapper(schema) ? viewOf(schema.unwrap() as z.ZodType) : 'public')
}

type Wrapper = z.ZodNullable | z.ZodOptional | z.ZodDefault | z.ZodPrefault
const isWrapper = (schema: z.ZodType): schema is Wrapper =>
  schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault

/** Whether the field stays away unless it is asked for by name. */
export const isOnDemand = (schema: z.ZodType): boolean => schema.meta()?.onDemand ?? false

export const forEachView = <Value>(make: (view: View) => Value): Record<View, Value> => ({
  public: make('public'),
  own: make('own'),
  staff: make('staff'),
})

/** Whether the view shows a field of this schema. */
export const isShownIn = (view: View, schema: z.ZodType): boolean => breadth[view] >= breadth[viewOf(schema)]

/** The schema without the fields that the view does not show, at any depth. */
export function narrowed(schema: z.ZodObject, view: View): z.ZodObject {
  const shape = Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([, field]) => isShownIn(view, field))
    .map(([name, field]) => [name, isOnDemand(field) ? narrowedField(field, view).optional() : narrowedField(field, view)])
  return z.strictObject(Object.fromEntries(shape))
}

function narrowedField(field: z.ZodType, view: View): z.ZodType {
  if (field instanceof z.ZodObject) return narrowed(field, view)
  if (field instanceof z.ZodNullable) return narrowedField(field.unwrap() as z.ZodType, view).nullable()
  if (field instanceof z.ZodOptional) return narrowedField(field.unwrap() as z.ZodType, view).optional()
  // What leaves is always complete: a default stands for what the database does not hold.
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) return narrowedField(field.unwrap() as z.ZodType, view)
  if (field instanceof z.ZodArray) return field.clone({ ...field.def, element: narrowedField(field.element as z.ZodType, view) })
  return field
}

/** Turns stored values into what leaves the service. */
export type Picker = (value: unknown) => unknown

/**
 * Copies out of a row what the view's schema names, at any depth, and nothing else. Times become text, stored ids public ones,
 * absent lists empty, absent values their default or null. What is answered on demand is not copied.
 */
export function pickerOf(schema: z.ZodType, view: View): Picker {
  if (schema instanceof z.ZodObject) return objectPicker(schema, view)
  if (schema instanceof z.ZodNullable) {
    const idPrefix = schema.meta()?.idPrefix
    const inner = idPrefix === undefined ? pickerOf(schema.unwrap() as z.ZodType, view) : idPicker(idPrefix)
    return (value) => (value === null || value === undefined ? null : inner(value))
  }
  if (schema instanceof z.ZodOptional) {
    const inner = pickerOf(schema.unwrap() as z.ZodType, view)
    return (value) => (value === null || value === undefined ? undefined : inner(value))
  }
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    const inner = pickerOf(schema.unwrap() as z.ZodType, view)
    return (value) => inner(value ?? schema.def.defaultValue)
  }
  if (schema instanceof z.ZodArray) {
    const inner = pickerOf(schema.element as z.ZodType, view)
    return (value) => (Array.isArray(value) ? value.map(inner) : [])
  }
  if (schema instanceof z.ZodDiscriminatedUnion) return unionPicker(schema, view)
  if (schema instanceof z.ZodRecord) return (value) => value ?? {}
  const idPrefix = schema.meta()?.idPrefix
  return idPrefix === undefined ? plain : idPicker(idPrefix)
}

/** What the schema names of the value's own kind. */
function unionPicker(schema: z.ZodDiscriminatedUnion, view: View): Picker {
  const { discriminator } = schema.def
  const pickers = (schema.options as z.ZodObject[]).flatMap((option) => {
    const picker = objectPicker(option, view)
    return [...(option.shape[discriminator] as z.ZodLiteral).values].map((kind) => [kind as unknown, picker] as const)
  })
  const byKind = new Map(pickers)
  return (value) => byKind.get((value as Record<string, unknown> | null)?.[discriminator])?.(value) ?? null
}

function objectPicker(schema: z.ZodObject, view: View): Picker {
  const pickers = Object.entries(schema.shape as Record<string, z.ZodType>)
    .filter(([, field]) => isShownIn(view, field) && !isOnDemand(field))
    .map(([name, field]) => [name, pickerOf(field, view)] as const)
  return (value) => {
    const source = (value ?? {}) as Record<string, unknown>
    const picked: Record<string, unknown> = {}
    for (const [name, pick] of pickers) picked[name] = pick(Object.hasOwn(source, name) ? source[name] : undefined)
    return picked
  }
}

const idPicker =
  (prefix: string): Picker =>
  (value) =>
    toPublicId(prefix, value as string)

// An object where the schema names a plain value would be members that nobody declared.
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? null : value
}
