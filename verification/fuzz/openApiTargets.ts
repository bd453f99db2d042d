/** Reads the operations of an OpenAPI document: what can be sent to each, and what each may return. */

export type Schema = Readonly<Record<string, unknown>>

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
  example?: unknown
}

export interface Target {
  id: string
  method: string
  /** With parameters in braces: `/api/v1/courses/{id}`. */
  path: string
  parameters: readonly Parameter[]
  /** Media types of the body, with their schemas. */
  bodies: readonly [mediaType: string, schema: Schema][]
  /** `200`, `404` or `default`, with the schemas of its media types. */
  responses: ReadonlyMap<string, ReadonlyMap<string, Schema>>
  /** The codes of the errors of each status. */
  errorCodes: ReadonlyMap<string, ReadonlySet<string>>
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, Part>> & { schemas: Record<string, Schema> }
}

type Part = { $ref?: string } & Record<string, unknown>
type Content = Record<string, { schema: Schema }>

interface Operation {
  operationId: string
  parameters?: Part[]
  requestBody?: Part
  responses: Record<string, Part>
}

export function targetsOf(document: OpenApi): Target[] {
  const resolve = (part: Part): Part => {
    const [, , kind = '', name = ''] = part.$ref?.split('/') ?? []
    return part.$ref === undefined ? part : (document.components[kind]?.[name] ?? {})
  }
  const contentOf = (part: Part): [string, Schema][] =>
    Object.entries((resolve(part).content ?? {}) as Content).map(([type, { schema }]) => [type, schema])
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map((part) => parameterOf(resolve(part))),
      bodies: operation.requestBody ? contentOf(operation.requestBody) : [],
      responses: new Map(Object.entries(operation.responses).map(([status, part]) => [status, new Map(contentOf(part))])),
      errorCodes: new Map(Object.entries(operation.responses).map(([status, part]) => [status, errorCodesIn(resolve(part))])),
    })),
  )
}

const parameterOf = ({ name, in: place, required, description, schema, example }: Part): Parameter => ({
  name: String(name),
  in: place as Parameter['in'],
  required: required === true,
  description: String(description ?? ''),
  schema: (schema ?? { type: 'string' }) as Schema,
  ...(example === undefined ? {} : { example }),
})

/** Returns the codes of errors that the description of a response lists: "The code in `error` is `not_found`." */
const errorCodesIn = ({ description }: Part): ReadonlySet<string> =>
  new Set([...String(description).matchAll(/`(\w+)`/g)].map(([, code = '']) => code))
