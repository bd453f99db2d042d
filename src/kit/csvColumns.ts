import { z } from 'zod'
import { unwrapped } from './writeForm.ts'

/** The columns of a file: the fields in their order, those of an object one by one. `fields` leaves out the others. */
export function csvColumns(schema: z.ZodObject, fields: readonly string[] | undefined): string[] {
  const all = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(([name, field]) => {
    const inner = unwrapped(field)
    return inner instanceof z.ZodObject ? Object.keys(inner.shape).map((member) => `${name}.${member}`) : [name]
  })
  if (fields === undefined) return all
  const wanted = new Set(['id', 'object', ...fields])
  return all.filter((column) => wanted.has(column) || wanted.has(column.split('.')[0] as string))
}
