import { type ApiDocument, type ContentNode, type OperationNode, resolverOf, type SchemaNode } from './apiDocument.ts'
import { type FieldRow, fieldsOf, typeOf } from './schemaFields.ts'

/** A piece of a description; code is set in another font. */
export interface TextPiece {
  text: string
  isCode: boolean
}

export interface ReferenceEntry {
  id: string
  method: string
  path: string
  summary: string
  href: string
  access: string
  isPublic: boolean
  isDeprecated: boolean
}

export interface ReferenceParameter extends FieldRow {
  /** Id of its input in the form that sends the request. */
  inputId: string
  place: 'path' | 'query' | 'header'
  example: string
  choices: string[]
  pieces: TextPiece[]
}

export interface ReferenceOperation extends ReferenceEntry {
  paragraphs: TextPiece[][]
  scopes: string[]
  parameters: ReferenceParameter[]
  /** The parameters by whether a request needs them. */
  required: ReferenceParameter[]
  optional: ReferenceParameter[]
  body: { types: string[]; fields: ReferenceField[]; example: string; isRequired: boolean; canSend: boolean } | undefined
  responses: { status: string; description: string; types: string[]; fields: ReferenceField[] }[]
}

export type ReferenceField = FieldRow & { pieces: TextPiece[] }

export function referenceEntry(area: string, { method, path, node }: Located): ReferenceEntry {
  const [scopes, anonymous] = [node['x-required-scopes'], node['x-anonymous']]
  const needed = scopes.join(' or ')
  return {
    id: node.operationId,
    method: method.toUpperCase(),
    path,
    summary: node.summary,
    href: `/docs/${area}#${node.operationId}`,
    access: anonymous === 'none' ? `Needs ${needed}` : anonymous === 'full' ? 'Public' : `Public in part, the rest needs ${needed}`,
    isPublic: anonymous !== 'none',
    isDeprecated: node.deprecated === true,
  }
}

export interface Located {
  method: string
  path: string
  node: OperationNode
}

export function referenceOperation(document: ApiDocument, area: string, located: Located): ReferenceOperation {
  const { schemas, parameters, requestBodies, responses } = document.components
  const resolveSchema = resolverOf(schemas)
  const resolveResponse = resolverOf(responses)
  const { node } = located
  const fields = (schema: SchemaNode | undefined): ReferenceField[] =>
    (schema ? fieldsOf(schema, resolveSchema) : []).map((row) => ({ ...row, pieces: piecesOf(row.description) }))
  const contentOf = ({ content = {} }: ContentNode) => ({ types: Object.keys(content), first: Object.values(content)[0] })
  const body = node.requestBody && resolverOf(requestBodies)(node.requestBody)
  const sent = body && contentOf(body)
  const described = (node.parameters ?? []).map((given) => {
    const { name, in: place, required = false, description = '', schema, example } = resolverOf(parameters)(given)
    const own = resolveSchema(schema)
    return {
      name,
      inputId: `${node.operationId}-${place}-${name}`.replaceAll(/\W+/g, '-').replace(/-$/, ''),
      place,
      type: typeOf(schema, resolveSchema),
      isRequired: required,
      description,
      pieces: piecesOf(description),
      example: example === undefined ? '' : String(example),
      choices: own.type === 'boolean' ? ['true', 'false'] : (own.enum ?? []).map(String),
    }
  })
  return {
    ...referenceEntry(area, located),
    paragraphs: (node.description ?? '').split('\n\n').filter(Boolean).map(piecesOf),
    scopes: node['x-required-scopes'],
    parameters: described,
    required: described.filter(({ isRequired }) => isRequired),
    optional: described.filter(({ isRequired }) => !isRequired),
    body:
      body && sent
        ? {
            types: sent.types,
            fields: fields(sent.first?.schema),
            example: sent.first?.example === undefined ? '' : JSON.stringify(sent.first.example, null, 2),
            isRequired: body.required ?? false,
            canSend: sent.types.some((type) => type.endsWith('json')),
          }
        : undefined,
    responses: Object.entries(node.responses)
      .filter(([status]) => status.startsWith('2'))
      .map(([status, given]) => {
        const response = resolveResponse(given)
        const { types, first } = contentOf(response)
        const others = Object.keys(response['x-media-types'] ?? {})
        return {
          status,
          description: response.description ?? '',
          types: [...types, ...others],
          fields: fields(first?.schema).map((row) => ({ ...row, isRequired: false })),
        }
      }),
  }
}

/** Splits a text at its backticks. */
export function piecesOf(text: string): TextPiece[] {
  return text
    .split('`')
    .map((piece, at) => ({ text: piece, isCode: at % 2 === 1 }))
    .filter((piece) => piece.text !== '')
}
