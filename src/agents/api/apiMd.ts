import { apiPath, type Operation } from '../../engine/declare/operations.ts'
import { operationsAcrossTypes } from '../../engine/output/operationsAcrossTypes.ts'
import { code, document, link, Markdown, markdown } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { callOf, effectText, scopeText } from './operationLine.ts'
import { resourcePaths } from './resourcePaths.ts'

export function apiMd(operations: readonly Operation[], issuer: string): string {
  const byResource = Map.groupBy(operations, ({ resource }) => resource.name)
  return document([
    markdown`# API map: every operation`,
    markdown`> One line per operation: method, path below ${code(issuer + apiPath)}, scope, summary. ${code('or none')}: visitors get the public view without a token.`,
    markdown`Fields, filters, states and examples of a resource are in ${code('/docs/RESOURCE.md')} (${code('?section=fields,bodies')}: these sections alone), its OpenAPI description in ${code('/openapi/RESOURCE.json')}. How to get a token: ${link('auth.md', issuer + paths.authMd)}. Errors: ${link('errors.md', issuer + paths.errorsMd)}.`,
    rules(),
    ...[...byResource].flatMap(([name, own]) => [markdown`## ${link(name, issuer + resourcePaths(name).document)}`, lines(own)]),
    ...operationsAcrossTypes(operations).flatMap((one) => [
      markdown`## ${link(one.tag.name, issuer + resourcePaths(one.tag.name).openApi)}`,
      lines([one]),
    ]),
    ...notInApi(operations),
  ])
}

/** Lists what integrations look for and do not find here. */
function notInApi(operations: readonly Operation[]): Markdown[] {
  const resources = [...new Set(operations.map(({ resource }) => resource))].filter((resource) => resource.notInApi !== undefined)
  if (resources.length === 0) return []
  return [
    markdown`## Not in this API`,
    markdown`${resources.map(({ name, notInApi: sentence }) => markdown`- ${name}: ${sentence?.replace('Not in this API: ', '') ?? ''}`)}`,
  ]
}

const rules = (): Markdown =>
  new Markdown(
    [
      '- Lists take `limit` (1 to 100), `cursor`, `sort`, `fields`, and filters: `?status=published&created_at[gte]=2026-03-01T00:00:00Z`.',
      '- `{id}` in a path, and filters such as `course_id`, take what identifies the row wherever it is read: the id, or the slug if the row has one.',
      '- PATCH takes a merge patch. Changes of a row take its `ETag` in `If-Match`. Only what replaces a whole document or list requires it, as its line says: read the row, then send its `ETag`.',
      '- What a line with ↩ changed can be taken back for some days, with everything that fell with it: `POST /account/activity/{id}/undo`; `GET /account/activity` lists what you did. Nothing else can be undone: prefer `archive`, `hide` or `unpublish` to DELETE. A line with ✉ can send e-mails.',
      '- If the person wants to decide first, a line with ⚠ (and any with over 100 rows or 20 e-mails, or that cannot be taken back) gets 403 `approval_required` with an address: give it to the person. The service makes the request when they agree; repeat it for its response, with `Prefer: wait=20` to wait.',
      '- Every POST takes an `Idempotency-Key`, so that you can repeat it.',
      '- Every write but the upload of a file takes `Dry-Run: true`: the same checks and the same response, with `dry_run`: what would be changed (`changes` has former and new values) and how many e-mails would be sent. Nothing is kept; `asks` in it says that a person would decide first. Try a DELETE this way first.',
      '- To let the person decide about several writes together, send each with `Proposal: <name>`: it is tried on top of the earlier ones of that name, and kept in the proposal; ids are final, and a GET with the header reads the school as it would be. `POST /account/proposals/{name}/submit` returns the address for the person; `GET /account/proposals/{name}` with `Prefer: wait=20` returns the responses. At most 100 requests and 7 days; no uploads.',
      '- Say in `Agent-Reason` why you make a change, in one sentence: the school sees it with the change.',
    ].join('\n'),
  )

const lines = (operations: Parameters<typeof callOf>[0][]): Markdown =>
  new Markdown(
    operations
      .map((operation) => `- ${code(callOf(operation)).text} ${scopeText(operation)}: ${markdown`${effectText(operation)}`.text}`)
      .join('\n'),
  )
