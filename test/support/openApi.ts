import { apiDescription } from '../../src/api/apiDescription.ts'
import type { OpenApiArguments, OpenApiFacts } from '../../src/api/openApiArguments.ts'
import { openApiDocument as documentOf } from '../../src/api/openApiDocument.ts'
import type { Operation } from '../../src/framework/declare/operations.ts'

/** Returns the OpenAPI document of these operations. */
export const openApiDocument = (
  { operations, scopes }: { operations: readonly Operation[] } & Pick<OpenApiArguments, 'scopes'>,
  facts: OpenApiFacts,
) => JSON.parse(JSON.stringify(documentOf(apiDescription(operations), scopes, facts)))

/** Returns the document with the responses and parameters at their operations, in place of references. */
export function dereferenced<Document extends object>(document: Document): Document {
  const whole = JSON.parse(JSON.stringify(document))
  const found = <Part extends { $ref?: string }>(kind: string, part: Part): Part =>
    part.$ref ? whole.components[kind][part.$ref.split('/').at(-1) ?? ''] : part
  for (const methods of Object.values<Record<string, { parameters: object[]; responses: Record<string, object> }>>(whole.paths)) {
    for (const operation of Object.values(methods)) {
      operation.parameters = operation.parameters.map((parameter) => found('parameters', parameter))
      for (const [status, response] of Object.entries(operation.responses)) operation.responses[status] = found('responses', response)
    }
  }
  return whole
}
