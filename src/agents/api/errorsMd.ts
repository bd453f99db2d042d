import { keysOf } from '../../lib/keysOf.ts'
import { problems } from '../../lib/problem.ts'
import { block, code, document, link, markdown, table } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'

/** Renders `/docs/errors.md`: every error code with its status and what to do. */
export function errorsMd(issuer: string): string {
  const codes = keysOf(problems).toSorted((left, right) => problems[left].status - problems[right].status)
  const example = { error: 'not_found', error_description: 'There is no such course.', request_id: 'req_01jgwejj00e6srgkpqm2sqf05m' }
  return document([
    markdown`# Errors`,
    markdown`> Every error is JSON: ${code('error')} is one of these codes, ${code('error_description')} says what is wrong and how to correct it.`,
    block('json', JSON.stringify(example, null, 2)),
    markdown`${code('details')} lists each invalid field or parameter with ${code('field')}, ${code('code')} and ${code('message')}. ${code('documentation')} is present if the request has no token: ${link('auth.md', issuer + paths.authMd)} says how to get one.`,
    markdown`Repeat a request only after 429 and 503, and not before the seconds in ${code('Retry-After')}. Send the same ${code('Idempotency-Key')} again.`,
    table(
      ['Status', 'Code', 'Meaning'],
      codes.map((name) => [problems[name].status, code(name), problems[name].description]),
    ),
  ])
}
