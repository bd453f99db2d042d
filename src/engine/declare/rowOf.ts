import type { z } from 'zod'
import type { SometimesAbsent } from './fields.ts'

/** A row in a response, with the fields of its schema. A field that not every response has is optional. */
export type RowOf<Schema extends z.ZodObject> = Fields<Schema['shape']> & { id: string; created_at: string; updated_at: string }

type Fields<Shape> = {
  [Name in keyof Shape as Shape[Name] extends SometimesAbsent ? never : Name]: z.output<Shape[Name]>
} & { [Name in keyof Shape as Shape[Name] extends SometimesAbsent ? Name : never]?: z.output<Shape[Name]> }
