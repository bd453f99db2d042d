import { objectEntries, objectsOf } from '../lib/jsonValue.ts'
import { componentName } from './componentName.ts'
import { leanExamples } from './leanExamples.ts'
import { type Json, shareSchemas } from './sharedSchemas.ts'

/** The parts of an OpenAPI document in which repeated parts can be shared. */
export interface Shareable {
  paths: Record<string, Record<string, Json>>
  components: Record<string, Record<string, Json>>
}

/**
 * Moves every parameter, response and schema that is repeated into the components of the document, and refers to it there. The document
 * describes the same API in fewer bytes. Returns a copy.
 */
export function shareRepeats<Document extends Shareable>(document: Document): Document {
  const copy = leanExamples(document) as Document
  const { paths, components } = copy
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const responses = sharing(componentsOf(components, 'responses'), 'responses')
  const parameters = sharing(componentsOf(components, 'parameters'), 'parameters')
  for (const operation of operations) {
    for (const [, response] of objectEntries(operation.responses)) responses.count(response)
    for (const parameter of objectsOf(operation.parameters)) parameters.count(parameter)
  }
  for (const operation of operations) {
    const shared = objectEntries(operation.responses).map(([status, response]) => [
      status,
      responses.refer(response, nameOfResponse(response)),
    ])
    operation.responses = Object.fromEntries(shared)
    operation.parameters = objectsOf(operation.parameters).map((parameter) => parameters.refer(parameter, String(parameter.name)))
  }
  shareSchemas(componentsOf(components, 'schemas'), [
    ...['requestBodies', 'responses', 'parameters'].flatMap((kind) => Object.entries(componentsOf(components, kind))),
    ...operations.map((operation): [string, Json] => [String(operation.operationId), operation]),
  ])
  return copy
}

function componentsOf(components: Record<string, Record<string, Json>>, kind: string): Record<string, Json> {
  components[kind] ??= {}
  return components[kind]
}

/** Returns functions that count equal parts, and replace those that are repeated by references to one component. */
function sharing(components: Record<string, Json>, kind: string) {
  const counts = new Map<string, number>()
  const names = new Map<string, string>()
  return {
    count(part: Json): void {
      const text = JSON.stringify(part)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    },
    refer(part: Json, wanted: string): Json {
      const text = JSON.stringify(part)
      if ('$ref' in part || (counts.get(text) ?? 0) < 2) return part
      const name = names.get(text) ?? componentName(wanted, components)
      names.set(text, name)
      components[name] = part
      return { $ref: `#/components/${kind}/${name}` }
    },
  }
}

/** Returns the name of a response by the schema of its body: `Course`, `CourseList`, `NoContent`. */
function nameOfResponse({ content, description }: Json): string {
  if (content === undefined) return String(description).startsWith('Success') ? 'NoContent' : 'NotModified'
  const text = JSON.stringify(content)
  const [, name = 'Success'] = /schemas\/(\w+)"/.exec(text) ?? []
  return text.includes('"enum":["list"]') ? `${name}List` : name
}
