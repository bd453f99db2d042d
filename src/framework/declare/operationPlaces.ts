import type { z } from 'zod'
import { apiPath } from './operations.ts'
import { declaredParameters, type KeyName, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'

/** A path below `/api/v1`, and the parameters in it. */
interface Place {
  path: string
  parameters: readonly Parameter[]
}

/** The address of one row, or of something that belongs to it. */
export function place(resource: Resource, key: KeyName, end?: string): Place {
  const parameters = rowParameters(resource, false, key)
  const row = resource.isSingleton ? resource.path : `${resource.path}/{${key}}`
  return { path: end === undefined ? row : `${row}/${end}`, parameters }
}

/** The address of something that one does with one's own row alone. */
export const ownPlace = (resource: Resource, end: string): Place => ({ path: `${resource.path}/me/${end}`, parameters: [] })

/** The whole address of an operation, with the parameters that it declares itself. */
export const at = ({ path, parameters }: Place, declared?: z.ZodObject): { path: string; parameters: readonly Parameter[] } => ({
  path: `${apiPath}/${path}`,
  parameters: [...parameters, ...declaredParameters(declared, path)],
})
