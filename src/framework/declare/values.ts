import type { z } from 'zod'

/** Fields in the form of the API, by name. */
export type Values = Readonly<Record<string, unknown>>

/** The members of an object schema that declares none. */
export type NoMembers = Record<never, never>

/** The values that an object schema with these members accepts. */
export type OutputOf<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>

/** The values of the operation's parameters by name. A parameter that was not sent and has no default is absent. */
export type ParameterValues<Shape extends z.ZodRawShape = NoMembers> = {
  get<Name extends keyof Shape & string>(name: Name): z.output<Shape[Name]>
} & ReadonlyMap<string, unknown>

/** Types values by the schemas of their parameters, which they have passed. */
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

/** The fields and inputs that a change sends. */
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

/** Returns the ids of the rows in a JSON list of summaries that a query has selected. */
export const idsIn = (summaries: unknown): string[] => (Array.isArray(summaries) ? summaries.flatMap((one) => idIn(one) ?? []) : [])

/** Returns the id in the JSON summary of a row, or null if there is none. */
export const idIn = (summary: unknown): string | null =>
  typeof summary === 'object' && summary !== null && 'id' in summary && typeof summary.id === 'string' ? summary.id : null
