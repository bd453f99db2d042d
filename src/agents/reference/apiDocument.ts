/** A JSON schema of the OpenAPI document. Only members that the reference shows are named. */
export interface SchemaNode {
  $ref?: string
  type?: string
  format?: string
  description?: string
  enum?: unknown[]
  nullable?: boolean
  properties?: Record<string, SchemaNode>
  required?: string[]
  items?: SchemaNode
  allOf?: SchemaNode[]
  oneOf?: SchemaNode[]
  anyOf?: SchemaNode[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
}

export interface ParameterNode {
  $ref?: string
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  example?: unknown
  schema: SchemaNode
}

export interface ContentNode {
  $ref?: string
  description?: string
  required?: boolean
  content?: Record<string, { schema: SchemaNode; example?: unknown }>
  'x-media-types'?: Record<string, unknown>
}

export interface OperationNode {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters?: ParameterNode[]
  requestBody?: ContentNode
  responses: Record<string, ContentNode>
  deprecated?: boolean
  'x-required-scopes': string[]
  'x-anonymous': 'full' | 'partial' | 'none'
}

export interface ApiDocument {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OperationNode>>
  components: {
    schemas: Record<string, SchemaNode>
    parameters: Record<string, ParameterNode>
    requestBodies: Record<string, ContentNode>
    responses: Record<string, ContentNode>
  }
}

/** Returns a function that follows a reference to one of the components. Anything else is returned as it is. */
export function resolverOf<Node extends { $ref?: string }>(components: Readonly<Record<string, Node>>): (node: Node) => Node {
  return function resolve(node) {
    if (node.$ref === undefined) return node
    const found = components[node.$ref.split('/').at(-1) ?? '']
    if (found === undefined) throw new Error(`the API description has no ${node.$ref}`)
    return resolve(found)
  }
}
