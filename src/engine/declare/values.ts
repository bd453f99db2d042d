import type { z } from 'zod'

export type Values = Readonly<Record<string, unknown>>

export type NoMembers = Record<never, never>

export type OutputOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** The values of the operation's parameters by name. A parameter that was not sent and has no default is absent. */
export type ParameterValues<Shape extends z.ZodRawShape = NoMembers> = {
  get<Name extends keyof Shape & string>(name: Name): z.output<Shape[Name]>
} & ReadonlyMap<string, unknown>

export const parameterValues = <Shape extends z.ZodRawShape>(values: ReadonlyMap<string, unknown>): ParameterValues<Shape> =>
  values as ParameterValues<Shape>

/** The fields and inputs that a new row is made of. Only required ones are always present. */
export type NewValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape, Required extends string> = Partial<
  OutputOf<Shape> & OutputOf<Inputs>
> &
  OutputOf<Pick<Shape & Inputs, Required & keyof (Shape & Inputs)>>

/** The fields of a row after a change, and the inputs that the change sends. */
export type CompleteValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape> = OutputOf<Shape> &
  Partial<OutputOf<Inputs>> & { id: string; created_at: string; updated_at: string }

export type ChangedValues<Shape extends z.ZodRawShape, Inputs extends z.ZodRawShape> = Partial<OutputOf<Shape> & OutputOf<Inputs>>

/**
 * A value as the database returns it: a time may be a Date, which the serializer converts to text, and an enumeration is typed as string.
 */
export type StoredForm<Value> = Value extends string
  ? string | Date
  : Value extends readonly (infer Item)[]
    ? readonly StoredForm<Item>[]
    : Value extends object
      ? { readonly [Name in keyof Value]: StoredForm<Value[Name]> }
      : Value

/**
 * Returns the value of a JSON column with the type of what was written into it: the database types such columns as unknown, and only
 * values that passed the schema of their field are written.
 */
export const fromJson = <Value>(stored: unknown): Value => stored as Value

export const idsIn = (summaries: unknown): string[] => (Array.isArray(summaries) ? summaries.flatMap((one) => idIn(one) ?? []) : [])

export const idIn = (summary: unknown): string | null =>
  typeof summary === 'object' && summary !== null && 'id' in summary && typeof summary.id === 'string' ? summary.id : null
