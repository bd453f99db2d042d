import type { Audience } from '../policy/caller.ts'
import { scopeName } from './area.ts'
import type { OperationKind } from './declaration.ts'
import { listParameters, type Parameter, rowParameters } from './parameters.ts'
import type { Resource } from './resource.ts'

/** Where every operation of the school's API stands. */
export const apiPath = '/api/v1'

/** One thing that can be done, derived from a resource. A route and a tool are this, seen through two doors. */
export interface Operation {
  /** `listCourses`. */
  id: string
  kind: OperationKind
  method: 'GET'
  /** `/api/v1/courses/{id_or_slug}`. */
  path: string
  resource: Resource
  scope: string
  /** Whether a caller without a token is served, with the public view. */
  anonymous: 'full' | 'none'
  /** Who it is of any use to: a caller of another role is refused whatever the token says. */
  roles: readonly Audience[]
  summary: string
  parameters: readonly Parameter[]
  successStatus: 200
}

/** Every operation of a resource. */
export function operationsOf(resource: Resource): Operation[] {
  return (Object.keys(kinds) as OperationKind[]).flatMap((kind) => {
    const verb = resource.operations[kind]
    if (verb === undefined) return []
    const { id, path, summary, parameters } = kinds[kind](resource)
    return [
      {
        id,
        kind,
        method: 'GET',
        path: `${apiPath}/${path}`,
        resource,
        scope: scopeName(resource.area, verb),
        anonymous: resource.audiences.includes('anonymous') ? 'full' : 'none',
        roles: resource.audiences,
        summary,
        parameters,
        successStatus: 200,
      } as const,
    ]
  })
}

type Derivation = (resource: Resource) => Pick<Operation, 'id' | 'path' | 'summary' | 'parameters'>

const kinds: Readonly<Record<OperationKind, Derivation>> = {
  list: (resource) => ({
    id: `list${pascalCase(resource.name)}`,
    path: resource.name,
    summary: `List ${words(resource.name)}`,
    parameters: listParameters(resource),
  }),
  get: (resource) => {
    const parameters = rowParameters(resource)
    return {
      id: `get${pascalCase(resource.object)}`,
      path: [resource.name, ...parameters.map(({ name }) => `{${name}}`)].join('/'),
      summary: resource.isSingleton ? `Show the ${words(resource.object)}` : `Show one ${words(resource.object)}`,
      parameters,
    }
  },
}

const words = (name: string): string => name.replaceAll('_', ' ')

const pascalCase = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
