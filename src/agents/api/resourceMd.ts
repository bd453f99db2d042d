import { apiPath, type Operation } from '../../framework/declare/operations.ts'
import { viewOf } from '../../framework/declare/views.ts'
import { bodyName, type JsonSchema, schemaName } from '../../framework/output/publishedSchemas.ts'
import { code, document, link, Markdown, markdown, type Part, table } from '../markdown.ts'
import { paths } from '../schoolFacts.ts'
import { resourcePaths } from './apiMd.ts'
import { examples } from './examples.ts'
import { listParametersMd } from './listParametersMd.ts'
import { callOf, scopeText } from './operationLine.ts'
import type { ResourceFacts } from './resourceFacts.ts'
import { fieldLines } from './schemaText.ts'

/** Deeper objects are described in the OpenAPI document. */
const depth = 1

/** Renders `/docs/<resource>.md`: the fields, operations, filters, states and examples of one resource. */
export function resourceMd(facts: ResourceFacts): string {
  const { resource, operations, issuer } = facts
  return document([
    markdown`# ${resource.name}`,
    markdown`> ${resource.about}`,
    markdown`Paths begin with ${code(issuer + apiPath)}. The same for programs: ${link('OpenAPI', issuer + resourcePaths(resource.name).openApi)}. All resources: ${link('api.md', issuer + paths.apiMd)}. How to get a token: ${link('auth.md', issuer + paths.authMd)}. Errors: ${link('errors.md', issuer + paths.errorsMd)}.`,
    markdown`## Operations`,
    operationTable(operations),
    markdown`${code('or none')}: visitors get the public view without a token. A token also needs a person whose role may do it.`,
    ...fieldSection(facts),
    ...stateSection(operations),
    ...listParametersMd(operations),
    ...bodySection(facts),
    ...examples(facts),
  ])
}

const people = { anonymous: 'visitors', learner: 'learners', lecturer: 'lecturers', staff: 'owners and admins' } as const

const operationTable = (operations: readonly Operation[]): Markdown =>
  table(
    ['Operation', 'Scope', 'For', 'Effect'],
    operations.map((one) => [code(callOf(one)), scopeText(one), rolesText(one), one.summary]),
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
  const writable = new Set(resource.writable.map(({ field }) => field))
  const rows = fieldLines(schema, depth).map(({ path, type, description }): Part[] => {
    const [name = ''] = path.split(/[.[]/)
    const field = resource.schema.shape[name]
    const isWritten = writable.has(name) || name in resource.inputs
    return [code(path), type, field ? views[viewOf(field)] : views.public, isWritten ? 'yes' : '', description]
  })
  return [
    markdown`## Fields`,
    markdown`${code('Seen by')}: the narrowest group that gets the field. Fields that are not written are set by the service.`,
    table(['Field', 'Type', 'Seen by', 'Written', 'Meaning'], rows),
  ]
}

/** Returns the changes of status that the operations make. */
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
    return schema ? [bodyRow(operation, schema)] : []
  })
  if (rows.length === 0) return []
  return [
    markdown`## Bodies`,
    markdown`Members with ${code('*')} are required. A PATCH takes any of them.`,
    new Markdown(rows.map(({ text }) => text).join('\n')),
  ]
}

/** Members that are fields of the resource are described there. */
function bodyRow(operation: Operation, schema: JsonSchema): Markdown {
  const isOfFields = ['create', 'update', 'replace'].includes(operation.kind)
  const members = fieldLines(schema, isOfFields ? 0 : depth).map(({ path, type, description, isRequired }) => {
    const name = `${code(path).text}${isRequired ? '\\*' : ''}`
    if (isOfFields && path in operation.resource.schema.shape) return name
    return markdown`${new Markdown(name)} (${type}${description && `: ${description.replace(/\.$/, '')}`})`.text
  })
  return markdown`- ${code(callOf(operation))}: ${new Markdown(members.join(', ') || 'an empty object')}`
}
