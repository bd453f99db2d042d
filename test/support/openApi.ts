import { Ajv, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { ScopeEntry } from '../../src/engine/declare/area.ts'
import type { Operation } from '../../src/engine/declare/operations.ts'
import { apiDescription, openApiDocument as documentOf } from '../../src/engine/rest/openApi.ts'
import type { OpenApiFacts } from '../../src/engine/rest/serveOpenApi.ts'

/** Returns the OpenAPI document of these operations. */
export const openApiDocument = (
  { operations, scopes }: { operations: readonly Operation[]; scopes: readonly ScopeEntry[] },
  facts: OpenApiFacts,
) => JSON.parse(JSON.stringify(documentOf(apiDescription(operations), scopes, facts)))

interface OperationOf {
  parameters: object[]
  responses: Record<string, object>
  requestBody?: object
}

/** Returns the document with the responses, parameters and request bodies at their operations, in place of references. */
export function dereferenced<Document extends object>(document: Document): Document {
  const whole = JSON.parse(JSON.stringify(document))
  const found = <Part extends { $ref?: string }>(kind: string, part: Part): Part =>
    part.$ref ? whole.components[kind][part.$ref.split('/').at(-1) ?? ''] : part
  for (const methods of Object.values<Record<string, OperationOf>>(whole.paths)) {
    for (const operation of Object.values(methods)) {
      operation.parameters = operation.parameters.map((parameter) => found('parameters', parameter))
      if (operation.requestBody) operation.requestBody = found('requestBodies', operation.requestBody)
      for (const [status, response] of Object.entries(operation.responses)) operation.responses[status] = found('responses', response)
    }
  }
  return whole
}

/**
 * Returns a function that returns the validator of a schema in this document, compiled when it is first needed. References are resolved in
 * the whole document, which is OpenAPI 3.0: `ajv` supports its `nullable` next to a type.
 */
export function schemaValidators(document: object): (schema: object) => ValidateFunction {
  const ajv = new Ajv({ strict: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'document')
  const compiled = new Map<object, ValidateFunction>()
  return (schema) => {
    const found = compiled.get(schema) ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')))
    compiled.set(schema, found)
    return found
  }
}
