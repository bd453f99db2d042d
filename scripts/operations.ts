/**
 * Maintains test/school/operations.csv, the register of every operation that the API promises, from the declarations.
 *
 *   node scripts/operations.ts           writes the file
 *   node scripts/operations.ts --check   exits with 1 and prints the difference if the file is stale
 *
 * The file is reviewed in the commit that changes an operation: a changed path, scope or status shows in its diff.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { operationsAcrossTypes } from '../src/engine/output/operationsAcrossTypes.ts'
import { operationsIn, resources } from '../src/school/index.ts'

const operations = operationsIn(resources)
const path = 'test/school/operations.csv'
const columns = ['area', 'method', 'path', 'operation_id', 'scope', 'anonymous', 'roles', 'success']

/** Routes that no resource declares: the upload is authorised by its signed URL, operations across types by the read scope of each type. */
const otherRoutes = [
  ['storage', 'PUT', '/api/v1/storage/uploads/{id}/content', 'putUploadContent', '(signature)', 'full', 'anonymous', '200'],
  ...operationsAcrossTypes(operations).map(({ tag, method, path, id, anonymous, roles, successStatus }) => [
    tag.name,
    method,
    path,
    id,
    '(read scope of each type)',
    anonymous,
    roles.join(' '),
    String(successStatus),
  ]),
]

const rows = operations.map(({ resource, method, path, id, scope, anonymous, roles, successStatus }) => [
  resource.area.name,
  method,
  path,
  id,
  scope,
  anonymous,
  roles.join(' '),
  String(successStatus),
])
const text = [columns, ...rows, ...otherRoutes].map((row) => `${row.join(',')}\n`).join('')
const stored = await readFile(path, 'utf8').catch(() => '')

if (!process.argv.includes('--check')) {
  if (stored !== text) await writeFile(path, text)
} else if (stored !== text) {
  process.stderr.write(
    `${difference(stored, text).join('\n')}\n\n${path} differs from the declarations. If the change is intended, run: npm run operations\n`,
  )
  process.exitCode = 1
}

/** Returns the lines that are only in the file (-) and those that are only in the declarations (+). */
function difference(before: string, after: string): string[] {
  const [stale, current] = [before.split('\n'), after.split('\n')]
  const removed = stale.filter((line) => !current.includes(line)).map((line) => `- ${line}`)
  const added = current.filter((line) => !stale.includes(line)).map((line) => `+ ${line}`)
  return removed.length + added.length > 0 ? [...removed, ...added] : ['The order of the rows differs.']
}
