import { apiPath } from '../../framework/declare/operations.ts'
import type { ChangeFeed } from '../../framework/output/changeFeed.ts'
import { block, code, document, link, markdown, table } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { callOf } from './operationLine.ts'

/** Renders `/docs/changes.md`: the feed with which a program keeps a copy. */
export function changesMd(feed: ChangeFeed, issuer: string): string {
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
