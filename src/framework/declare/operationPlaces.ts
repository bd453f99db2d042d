import type { z } from 'zod'
import { apiPath } from './operations.ts'
import { declaredParameters, type KeyName, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'

/** A path under `/api/v1` and its parameters. */
interface Place {
  path: string
  parameters: readonly Parameter[]
}

/** Returns the path of one row, or of something that belongs to it. The parameter has the name of the key; `accepts` can be wider. */
export function place(resource: Resource, key: KeyName, end?: string, accepts: KeyName = key): Place {
  const parameters = rowParameters(resource, false, { name: key, accepts })
  const row = resource.isSingleton ? resource.path : `${resource.path}/{${key}}`
  return { path: end === undefined ? row : `${row}/${end}`, parameters }
}

/** Returns the path of an action on the caller's own row. */
export const ownPlace = (resource: Resource, end: string): Place => ({ path: `${resource.path}/me/${end}`, parameters: [] })

/** Returns the full path of an operation, and its parameters including the declared ones. */
export const at = ({ path, parameters }: Place, declared?: z.ZodObject): { path: string; parameters: readonly Parameter[] } => ({
  path: `${apiPath}/${path}`,
  parameters: [...parameters, ...declaredParameters(declared, path)],
})
