import { apiPath, type Operation } from '../../framework/declare/operations.ts'
import { changeFeedOf } from '../../framework/output/changeFeed.ts'
import { code, document, link, Markdown, markdown } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { callOf, scopeText } from './operationLine.ts'

/** Path of the document and of the OpenAPI description of one resource. */
export const resourcePaths = (name: string) => ({ document: `/docs/${name}.md`, openApi: `/openapi/${name}.json` })

/** Renders `/api.md`: every operation of the API in one line. */
export function apiMd(operations: readonly Operation[], issuer: string): string {
  const feed = changeFeedOf(operations)
  const byResource = Map.groupBy(operations, ({ resource }) => resource.name)
  return document([
    markdown`# API map: every operation`,
    markdown`> One line per operation: method, path below ${code(issuer + apiPath)}, scope, summary. ${code('or none')}: visitors get the public view without a token.`,
    markdown`Fields, filters, states and examples of a resource are in ${code('/docs/RESOURCE.md')}, its OpenAPI description in ${code('/openapi/RESOURCE.json')}. How to get a token: ${link('auth.md', issuer + paths.authMd)}. Errors: ${link('errors.md', issuer + paths.errorsMd)}.`,
    rules(),
    ...[...byResource].flatMap(([name, own]) => [markdown`## ${link(name, issuer + resourcePaths(name).document)}`, lines(own)]),
    markdown`## changes`,
    lines([feed]),
  ])
}

const rules = (): Markdown =>
  new Markdown(
    [
      '- Lists take `limit` (1 to 100), `cursor`, `sort`, `fields`, and filters: `?status=published&created_at[gte]=2026-03-01T00:00:00Z`.',
      '- PATCH takes a merge patch. Changes of a row take its `ETag` in `If-Match`; every POST takes an `Idempotency-Key`, so that you can repeat it.',
    ].join('\n'),
  )

const lines = (operations: Parameters<typeof callOf>[0][]): Markdown =>
  new Markdown(
    operations
      .map((operation) => `- ${code(callOf(operation)).text} ${scopeText(operation)}: ${markdown`${operation.summary}`.text}`)
      .join('\n'),
  )
