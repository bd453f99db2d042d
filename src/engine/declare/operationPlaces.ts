import type { z } from 'zod'
import { apiPath } from './operations.ts'
import { acceptedKey, declaredParameters, type KeyName, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'

/** A path under `/api/v1` and its parameters. */
interface Place {
  path: string
  parameters: readonly Parameter[]
}

/** Returns the path of one row, or of something that belongs to it. A parameter named `id` accepts whatever identifies the row. */
export function place(resource: Resource, key: KeyName, end?: string): Place {
  const parameters = rowParameters(resource, false, { name: key, accepts: key === 'id' ? acceptedKey(resource) : key })
  const row = resource.isSingleton ? resource.path : `${resource.path}/{${key}}`
  return { path: end === undefined ? row : `${row}/${end}`, parameters }
}

/** Returns the path of an action on the caller's own row. */
export const ownPlace = (resource: Resource, end: string): Place => ({ path: `${resource.path}/me/${end}`, parameters: [] })

export const at = ({ path, parameters }: Place, declared?: z.ZodObject): { path: string; parameters: readonly Parameter[] } => ({
  path: `${apiPath}/${path}`,
  parameters: [...parameters, ...declaredParameters(declared, path)],
})
