import { apiDocuments } from '../../agents/api/apiDocuments.ts'
import type { ScopeEntry } from '../../engine/declare/area.ts'
import type { Operation } from '../../engine/declare/operations.ts'
import type { ToolSchemas } from '../../engine/mcp/catalogue.ts'
import { toolSchemas } from '../../engine/mcp/toolSchemas.ts'
import { requestChoices } from '../../engine/output/requestChoices.ts'
import { type ApiDescription, apiDescription, openApiText } from '../../engine/rest/openApi.ts'

/** Texts that depend on the code alone, with a marker at each place of a school. */
export interface CodeTexts {
  /** Returns a Markdown document about the operations, by its path. */
  apiText(path: string): string
  /** Returns the OpenAPI description of every operation, or of one tag; undefined if there is no such tag. */
  openApi(tag?: string): string | undefined
  toolSchemas(): ToolSchemas
  /** Returns the values in the body of each operation that are choices of a list. */
  requestChoices(): Readonly<Record<string, readonly string[]>>
  /** Returns the paths of written texts that have changed since. */
  altered(): string[]
}

/** Renders the texts, each on its first use. The bundle has `writtenTexts.ts` in place of this module. */
export function createCodeTexts(operations: readonly Operation[], scopes: readonly ScopeEntry[]): CodeTexts {
  const documents = apiDocuments(operations)
  const rendered = new Map<string, string>()
  let description: ApiDescription | undefined
  return {
    apiText(path) {
      const text = rendered.get(path) ?? documents.get(path)?.()
      if (text === undefined) throw new Error(`no document has the path ${path}`)
      rendered.set(path, text)
      return text
    },
    openApi(tag) {
      description ??= apiDescription(operations)
      return openApiText(description, scopes, tag)
    },
    toolSchemas: () => toolSchemas(operations),
    requestChoices: () => Object.fromEntries(operations.map((operation) => [operation.id, [...requestChoices(operation)]])),
    altered: () => [],
  }
}
