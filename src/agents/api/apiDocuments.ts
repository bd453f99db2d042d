import { problems } from '../../base/problem.ts'
import { keysOf } from '../../base/text/keysOf.ts'
import { type AcrossTypes, apiPath, type Operation } from '../../engine/declare/operations.ts'
import { changeFeedOf } from '../../engine/output/changeFeed.ts'
import { publishedSchemas } from '../../engine/output/publishedSchemas.ts'
import { block, code, document, link, markdown, table } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { apiMd } from './apiMd.ts'
import { callOf } from './operationLine.ts'
import { resourceMd } from './resourceMd.ts'
import { placeOfIssuer, resourcePaths } from './resourcePaths.ts'

/** Renders the documents about the operations: a function for each path, with `placeOfIssuer` in place of the issuer. */
export function apiDocuments(operations: readonly Operation[]): ReadonlyMap<string, () => string> {
  const resources = [...new Set(operations.map(({ resource }) => resource))]
  let schemas: ReturnType<typeof publishedSchemas> | undefined
  return new Map<string, () => string>([
    [paths.apiMd, () => apiMd(operations, placeOfIssuer)],
    [paths.errorsMd, () => errorsMd(placeOfIssuer)],
    [resourcePaths('changes').document, () => changesMd(changeFeedOf(operations), placeOfIssuer)],
    ...resources.map((resource): [string, () => string] => [
      resourcePaths(resource.name).document,
      () => {
        schemas ??= publishedSchemas(operations)
        const own = operations.filter((operation) => operation.resource === resource)
        return resourceMd({ resource, operations: own, schemas, issuer: placeOfIssuer })
      },
    ]),
  ])
}

function errorsMd(issuer: string): string {
  const codes = keysOf(problems).toSorted((left, right) => problems[left].status - problems[right].status)
  const example = { error: 'not_found', error_description: 'There is no such course.', request_id: 'req_01jgwejj00e6srgkpqm2sqf05m' }
  return document([
    markdown`# Errors`,
    markdown`> Every error is JSON: ${code('error')} is one of these codes, ${code('error_description')} says what is wrong and how to correct it.`,
    block('json', JSON.stringify(example, null, 2)),
    markdown`${code('details')} lists each invalid field or parameter with ${code('field')}, ${code('code')} and ${code('message')}; ${code('error')} is the code of the first one if it is in the table, else ${code('validation_failed')}. ${code('documentation')} is present if the request has no token: ${link('auth.md', issuer + paths.authMd)} says how to get one.`,
    markdown`Repeat a request only after 429, 503 and ${code('approval_required')}, and not before the seconds in ${code('Retry-After')}. Send the same ${code('Idempotency-Key')} again. A request that failed does not use up its key: the corrected one can have the same.`,
    table(
      ['Status', 'Code', 'Meaning'],
      codes.map((name) => [problems[name].status, code(name), problems[name].description]),
    ),
  ])
}

function changesMd(feed: AcrossTypes, issuer: string): string {
  const [type = 'course'] = feed.types.keys()
  return document([
    markdown`# changes`,
    markdown`> Changes of the last 30 days, oldest first, for programs of the staff that keep a copy of the school.`,
    markdown`Paths begin with ${code(issuer + apiPath)}. All resources: ${link('api.md', issuer + paths.apiMd)}. Errors: ${link('errors.md', issuer + paths.errorsMd)}.`,
    markdown`## Operation`,
    markdown`${code(callOf(feed))} needs the read scope of each type that it follows.`,
    table(
      ['Parameter', 'Meaning'],
      feed.parameters.map(({ name, description, isRequired }) => [code(name), `${description}${isRequired ? ' Required.' : ''}`]),
    ),
    markdown`## Types`,
    table(
      ['Type', 'Scope'],
      [...feed.types].map(([name, { scope }]) => [code(name), scope]),
    ),
    markdown`## Examples`,
    markdown`Begin at the present, read the lists once, then follow ${code('next_cursor')}, which every response has:`,
    block('sh', `curl -sS "${issuer}${feed.path}?types=${type}&cursor=latest" -H "Authorization: Bearer $ACCESS_TOKEN"`),
    markdown`A cursor older than 30 days gets 410 ${code('cursor_expired')}: read the lists again.`,
  ])
}
