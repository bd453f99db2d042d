import { apiPath, exampleRequest, exampleRow, type Operation } from '../../engine/declare/operations.ts'
import type { Parameter } from '../../engine/declare/parameters.ts'
import type { Resource } from '../../engine/declare/resource.ts'
import { viewOf } from '../../engine/declare/views.ts'
import { bodyName, bodySchema, type JsonSchema, outputName, publishedSchema, schemaName } from '../../engine/output/publishedSchemas.ts'
import { aboutCsvBody } from '../../engine/rest/operationDescription.ts'
import { isOpen, isSingle, isWholeList } from '../entryPoints.ts'
import { block, cellCode, code, document, link, Markdown, markdown, type Part, prose, table } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { callOf, effectText, scopeText } from './operationLine.ts'
import { resourcePaths } from './resourcePaths.ts'
import { describedMembers, fieldLines, formText, typeText } from './schemaText.ts'

const token = '-H "Authorization: Bearer $ACCESS_TOKEN"'

/** Returns one read and one creation as commands, with what they return. A test runs every command. */
function examples({ resource, operations, issuer }: ResourceFacts): Markdown[] {
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

const isAlwaysOpen = (operation: Operation): boolean => isOpen(operation) && operation.resource.anonymousWhen === undefined

const command = (operation: Operation, url: string): string => `curl -sS "${url}"${isAlwaysOpen(operation) ? '' : ` ${token}`}`

/** The body is an example of the declarations, without apostrophes. */
function creation(operation: Operation, issuer: string): string {
  const body = JSON.stringify(exampleRequest(operation)).replaceAll("'", '’')
  return `curl -sS "${issuer}${operation.path}" ${token} \\\n  -H "Content-Type: application/json" -H "Idempotency-Key: $(openssl rand -hex 16)" \\\n  -d '${body}'`
}

/** Renders `/docs/<resource>.md`: the fields, operations, filters, states and examples of one resource. */
export function resourceMd(facts: ResourceFacts): string {
  const { resource, operations, issuer } = facts
  return document([
    markdown`# ${resource.name}`,
    markdown`> ${resource.about}`,
    markdown`Paths begin with ${code(issuer + apiPath)}. The same for programs: ${link('OpenAPI', issuer + resourcePaths(resource.name).openApi)}. All resources: ${link('api.md', issuer + paths.apiMd)}. How to get a token: ${link('auth.md', issuer + paths.authMd)}. Errors: ${link('errors.md', issuer + paths.errorsMd)}.`,
    markdown`## Operations`,
    operationTable(operations),
    markdown`${accessText(operations)}A token also needs a person whose role may do it.`,
    ...csvLines(facts),
    resource.notInApi === undefined ? undefined : markdown`${resource.notInApi}`,
    ...fieldSection(facts),
    ...stateSection(operations),
    ...listParametersMd(operations),
    ...bodySection(facts),
    ...responseSection(facts),
    ...moneyLine(facts),
    ...examples(facts),
  ])
}

const accessText = (operations: readonly Operation[]): Markdown =>
  operations.some(({ anonymous }) => anonymous !== 'none')
    ? markdown`${code('or none')}: visitors get the public view without a token. `
    : markdown``

/** Says which operations take and return CSV files. */
function csvLines({ resource, operations }: ResourceFacts): Markdown[] {
  const readers = operations.filter((one) => one.kind === 'collection' && one.rules.csv)
  const isSent = resource.isExported || operations.some((one) => one.kind === 'collectionRead' && one.rules.rows)
  return [
    ...readers.map((one) => markdown`${code(callOf(one))}: ${prose(aboutCsvBody)}`),
    ...(isSent ? [markdown`${code('Accept: text/csv')} gets lists and reports as CSV files, if you are of the staff.`] : []),
  ]
}

const people = { anonymous: 'visitors', learner: 'learners', lecturer: 'lecturers', staff: 'owners and admins' } as const

const operationTable = (operations: readonly Operation[]): Markdown =>
  table(
    ['Operation', 'Scope', 'For', 'Effect'],
    operations.map((one) => [code(callOf(one)), scopeText(one), rolesText(one), effectText(one)]),
  )

function rolesText({ roles }: Operation): string {
  const signedIn = roles.filter((role) => role !== 'anonymous')
  return signedIn.length === 3 ? 'everybody' : signedIn.map((role) => people[role]).join(', ')
}

const views = { public: 'everybody', own: 'the person', staff: 'staff' } as const

/** Nested members are listed below their field, with its view. */
function fieldSection({ resource, operations, schemas }: ResourceFacts): Markdown[] {
  const schema = schemas[schemaName(resource.object)]
  const isAnswered = operations.some(({ kind }) => kind !== 'collectionRead')
  if (!schema || !isAnswered) return []
  const rows = fieldLines(schema, writtenForm(operations, schemas)).map((line): Part[] => {
    const [name = ''] = line.path.split(/[.[]/)
    const field = resource.schema.shape[name]
    const written = line.isRequired ? 'required' : line.isWritten ? 'yes' : ''
    const type = line.isForm ? cellCode(line.type) : line.type
    return [code(line.path), type, field ? views[viewOf(field)] : views.public, written, prose(line.description)]
  })
  return [
    markdown`## Fields`,
    markdown`${code('Seen by')}: the narrowest group that gets the field. Fields that are not written are set by the service; ${'required'} members belong to every object that is sent. ${code('?')}: may be left out.`,
    table(['Field', 'Type', 'Seen by', 'Written', 'Meaning'], rows),
  ]
}

/** Returns the members of every body of a row together: some fields are written at creation only, others not before. */
function writtenForm(operations: readonly Operation[], schemas: ResourceFacts['schemas']): JsonSchema {
  const bodies = operations.filter(isOfFields).flatMap((operation) => schemas[bodyName(operation)] ?? [])
  // The first body wins: in that of a creation, only members that may be absent are optional.
  return { properties: Object.assign({}, ...bodies.toReversed().map((body) => Object(body).properties)) }
}

/** True for an operation whose body is a row. */
const isOfFields = ({ kind }: Operation): boolean => ['create', 'update', 'replace'].includes(kind)

function stateSection(operations: readonly Operation[]): Markdown[] {
  const rows = operations.flatMap((operation): Part[][] => {
    if ((operation.kind !== 'action' && operation.kind !== 'remove') || !operation.rules.from) return []
    const to = operation.kind === 'remove' ? 'deleted' : (operation.rules.to ?? 'unchanged')
    return [[code(callOf(operation)), operation.rules.from.join(', '), [to].flat().join(', ')]]
  })
  if (rows.length === 0) return []
  return [
    markdown`## States`,
    table(['Operation', 'From', 'To'], rows),
    markdown`In another status the call gets 409 ${code('invalid_state')}. It has no effect in a status that it leads to and that From does not name.`,
  ]
}

function bodySection({ operations, schemas }: ResourceFacts): Markdown[] {
  const rows = operations.flatMap((operation) => {
    const schema = schemas[bodyName(operation)]
    return schema ? [membersRow(operation, schema)] : []
  })
  if (rows.length === 0) return []
  return [
    markdown`## Bodies`,
    markdown`Members with ${code('*')} are required, those with ${code('?')} can be left out. A PATCH takes any of them.`,
    markdown`${rows}`,
  ]
}

/** Each response in one line, then what its members mean, each once: reports have most of them in common. */
function responseSection({ operations, schemas }: ResourceFacts): Markdown[] {
  const outputs = operations.flatMap((operation) => {
    const schema = schemas[outputName(operation)]
    return schema ? [{ operation, schema }] : []
  })
  if (outputs.length === 0) return []
  const members = new Map(outputs.flatMap(({ schema }) => describedMembers(schema)).map((member) => [JSON.stringify(member), member]))
  return [
    markdown`## Responses that are not rows`,
    markdown`${outputs.map(({ operation, schema }) => markdown`- ${code(callOf(operation))}: ${code(formText(schema))}`)}`,
    table(
      ['Member', 'Meaning'],
      [...members.values()].map(({ name, text }) => [code(name), prose(text)]),
    ),
  ]
}

/** Members that are fields of the resource are described there. */
function membersRow(operation: Operation, schema: JsonSchema): Markdown {
  const { shape } = operation.resource.schema
  const members = fieldLines(schema).flatMap(({ path, type, isForm, description, isRequired }) => {
    const name = `${code(path).text}${isRequired ? '\\*' : ''}`
    const [field = ''] = path.split(/[.[]/)
    if (isOfFields(operation) && field in shape) return path === field ? [name] : []
    const about = description && `: ${prose(description.replace(/\.$/, '')).text}`
    return [`${name} (${isForm ? code(type).text : markdown`${type}`.text}${about})`]
  })
  return markdown`- ${code(callOf(operation))}: ${new Markdown(members.join(', ') || 'an empty object')}`
}

/** Explains the word for amounts where a type has it. */
function moneyLine({ operations, schemas }: ResourceFacts): Markdown[] {
  const names = operations.flatMap((operation) => [bodyName(operation), outputName(operation), schemaName(operation.resource.object)])
  const hasMoney = names.some((name) => JSON.stringify(schemas[name] ?? {}).includes('"currency"'))
  return hasMoney
    ? [
        markdown`${code('money')} is ${code('{"amount": 8900, "currency": "EUR"}')}: a whole number in the smallest unit of the currency, and the ISO 4217 code.`,
      ]
    : []
}

const ofEveryList = new Set(['limit', 'cursor', 'fields', 'include'])

/** Returns the parameters of the operations. Those of several operations are listed once; comparisons of one field share a row. */
function listParametersMd(operations: readonly Operation[]): Markdown[] {
  const found = new Map<string, { parameter: Parameter; operators: string[]; calls: string[] }>()
  for (const operation of operations) {
    for (const parameter of operation.parameters.filter((one) => one.in === 'query' && !ofEveryList.has(one.name))) {
      const [, name = parameter.name, operator] = /^(.+?)(?:\[(\w+)\])?$/.exec(parameter.name) ?? []
      const key = `${name} ${JSON.stringify(publishedSchema(parameter.schema)).length > 300 ? parameter.description : ''}`
      const known = found.get(key) ?? { parameter, operators: [], calls: [] }
      if (operator !== undefined && !known.operators.includes(operator)) known.operators.push(operator)
      if (!known.calls.includes(callOf(operation))) known.calls.push(callOf(operation))
      found.set(key, known)
    }
  }
  if (found.size === 0) return []
  const lists = operations.filter(({ kind }) => kind === 'list').map(callOf)
  const rows = [...found.values()].map(({ parameter, operators, calls }): Part[] => [
    code(parameter.name.replace(/\[\w+\]$/, '') + (operators.length > 0 ? `[${operators.join(',')}]` : '')),
    typeText(publishedSchema(parameter.schema)),
    prose(
      `${operators.length > 0 ? (parameter.filter?.filter.description ?? '') : parameter.description}${parameter.isStaffOnly ? ' For staff.' : ''}`,
    ),
    calls.length === lists.length && calls.every((call) => lists.includes(call))
      ? 'every list'
      : new Markdown(calls.map((call) => code(call).text).join(', ')),
  ])
  return [markdown`## Filters and other parameters`, table(['Parameter', 'Value', 'Meaning', 'Of'], rows)]
}

interface ResourceFacts {
  resource: Resource
  operations: readonly Operation[]
  schemas: Readonly<Record<string, JsonSchema>>
  issuer: string
}
