import { existsSync, readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { prettifyError, type z } from 'zod'

export const folder = new URL('../../../demo/', import.meta.url)

/**
 * Reads a file of the folder `demo` and checks it against its schema. An installation can leave this folder out; the modules that call this
 * are imported only when a demo school is created.
 * @throws Error if the file is missing or invalid
 */
export function readDemoFile<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> {
  const file = new URL(`${name}.yaml`, folder)
  if (!existsSync(file)) throw missing(`${name}.yaml`)
  const result = schema.safeParse(parse(readFileSync(file, 'utf8')))
  if (!result.success) throw new Error(`demo/${name}.yaml is invalid:\n${prettifyError(result.error)}`)
  return result.data
}

export const missing = (name: string): Error =>
  new Error(`demo/${name} is missing, so the demo school cannot be created: add the folder demo of the source, or set DEMO=off`)

/** Returns the bytes of a picture or document of the demo. */
export const readDemoBytes = (filename: string): Buffer => readFileSync(new URL(`files/${filename}`, folder))
