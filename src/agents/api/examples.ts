import { exampleRequest, exampleRow } from '../../framework/declare/exampleOf.ts'
import type { Operation } from '../../framework/declare/operations.ts'
import { bodySchema } from '../../framework/output/publishedSchemas.ts'
import { isOpen, isSingle, isWholeList } from '../entryPoints.ts'
import { block, type Markdown, markdown } from '../markdown.ts'
import type { ResourceFacts } from './resourceFacts.ts'

const token = '-H "Authorization: Bearer $ACCESS_TOKEN"'

/** Returns one read and one creation as commands, with what they return. A test runs every command. */
export function examples({ resource, operations, issuer }: ResourceFacts): Markdown[] {
  const read = operations.find((one) => isWholeList(one) || isSingle(one))
  const create = operations.find(hasCreationExample)
  const row = exampleRow(resource)
  const page = { limit: 1, has_more: false, next_cursor: null, prev_cursor: null }
  return [
    ...(read || create ? [markdown`## Examples`] : []),
    ...(read
      ? [
          block('sh', command(read, `${issuer}${read.path}${isSingle(read) ? '' : '?limit=1'}`)),
          markdown`Response, 200. A caller gets the fields that it may see:`,
          block('json', JSON.stringify(isSingle(read) ? row : { object: 'list', data: [row], page }, null, 1)),
        ]
      : []),
    ...(create
      ? [
          block('sh', creation(create, issuer)),
          markdown`Response, ${create.successStatus}: the new row, its URL in ${'Location'} and its version in ${'ETag'}.`,
        ]
      : []),
  ]
}

/** True for a creation whose example has more than the ids of other rows. */
function hasCreationExample(operation: Operation): boolean {
  if (operation.kind !== 'create' || operation.rules.takes || operation.path.includes('{') || !bodySchema(operation)) return false
  return Object.values(exampleRequest(operation)).some((value) => !/^[a-z]{3}_[0-9a-z]{26}$/.test(String(value)))
}

/** True if visitors of every school may call it. */
const isAlwaysOpen = (operation: Operation): boolean => isOpen(operation) && operation.resource.anonymousWhen === undefined

const command = (operation: Operation, url: string): string => `curl -sS "${url}"${isAlwaysOpen(operation) ? '' : ` ${token}`}`

/** The body is an example of the declarations, without apostrophes. */
function creation(operation: Operation, issuer: string): string {
  const body = JSON.stringify(exampleRequest(operation)).replaceAll("'", '’')
  return `curl -sS "${issuer}${operation.path}" ${token} \\\n  -H "Content-Type: application/json" -H "Idempotency-Key: $(openssl rand -hex 16)" \\\n  -d '${body}'`
}
