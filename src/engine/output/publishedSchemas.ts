// More than 250 lines: the schemas of bodies, rows and responses follow the same rules.
import { z } from 'zod'
import { isObject } from '../../base/text/jsonValue.ts'
import { internalMeta } from '../declare/fields.ts'
import { type AcrossTypes, exampleValue, type Operation, resourceInResponse } from '../declare/operations.ts'
import type { Resource } from '../declare/resource.ts'
import {
  described,
  isArray,
  isNullable,
  isObjectSchema,
  isOnDemand,
  isWrapper,
  membersOf,
  optionsOf,
  unwrapped,
  viewOf,
  writeForm,
} from '../declare/views.ts'
import { dryRunSchema } from '../write/dryRunReport.ts'
import { changeSchema } from './changeFeed.ts'
import { withRemoved } from './removedMarkup.ts'
import { searchResultSchema } from './search.ts'

export type JsonSchema = { [member: string]: unknown }

/** Returns the schemas of the operations' requests and responses by name, in the form of OpenAPI 3.0. */
export function publishedSchemas(operations: readonly Operation[]): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>()
  for (const resource of new Set(operations.map((operation) => operation.resource))) {
    registry.add(documented(withRemoved(resource.schema)), { id: schemaName(resource.object) })
  }
  registry.add(changeSchema, { id: 'Change' })
  registry.add(searchResultSchema, { id: 'SearchResult' })
  registry.add(dryRunSchema, { id: 'DryRunReport' })
  for (const operation of operations) {
    const body = bodySchema(operation)
    if (body) registry.add(body, { id: bodyName(operation) })
    const output = ownOutput(operation)
    if (output) registry.add(documented(output), { id: outputName(operation) })
  }
  const { schemas } = z.toJSONSchema(registry, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any', uri: referenceTo })
  // A response has no defaults. A patch omits the fields that it does not change: with a default, generated clients would reset them.
  const defaulting = new Set(operations.filter(({ method }) => method !== 'PATCH').map(bodyName))
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, finished({ ...schema }, defaulting.has(name) ? omitted : omittedWithDefaults)]),
  )
}

export const publishedSchema = (schema: z.ZodType): JsonSchema =>
  finished({ ...z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' }) })

export const referenceTo = (name: string): string => `#/components/schemas/${name}`

/** Types that TypeScript declares globally: generated clients that refer to them would get a schema instead. */
const globalTypes: readonly string[] = ['Comment', 'Event', 'File']

/** Returns the schema name of a type: `membership_plan` → `MembershipPlan`, `event` → `SchoolEvent`. */
export function schemaName(object: string): string {
  const name = object.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return globalTypes.includes(name) ? `School${name}` : name
}

/** Returns the schema name of an operation's request body: `CreateCourseBody`. */
export const bodyName = ({ id }: Pick<Operation, 'id'>): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Body`

/** Returns the schema name of a response that is not a row: `GetCurriculumAnswer`. */
export const outputName = ({ id }: Pick<Operation, 'id'>): string => `${id.charAt(0).toUpperCase()}${id.slice(1)}Answer`

/** Returns the response schema of an operation whose response is neither a row nor a list. */
export function ownOutput(operation: Operation): z.ZodObject | undefined {
  switch (operation.kind) {
    case 'read':
    case 'collectionRead':
      return operation.output
    case 'action':
    case 'collection':
      return operation.rules.output
    default:
      return undefined
  }
}

export function bodySchema(operation: Operation): z.ZodObject | undefined {
  switch (operation.kind) {
    case 'create':
      return operation.rules.input ? inputSchema(operation.rules.input) : writableSchema(operation.resource, 'create')
    case 'replace':
    case 'update':
      return writableSchema(operation.resource, operation.kind)
    case 'action':
      if (operation.method === 'DELETE') return undefined
      return operation.input ? inputSchema(operation.input) : z.strictObject({})
    case 'collection':
      return inputSchema(operation.rules.input)
    case 'read':
    case 'collectionRead':
      return operation.rules.input && inputSchema(operation.rules.input)
    default:
      return undefined
  }
}

export const inputSchema = (input: z.ZodObject): z.ZodObject => writeForm(input, 'staff')

/** Returns the schema with exactly the members that the operation accepts. A patch may omit any of them, at any depth. */
function writableSchema({ schema, inputs, writable, required }: Resource, kind: 'create' | 'replace' | 'update'): z.ZodObject {
  const isPatch = kind === 'update'
  const members = membersOf(schema)
  const fields = writable
    .filter(({ isCreateOnly, isUpdateOnly }) => (kind === 'create' ? !isUpdateOnly : !isCreateOnly))
    .map(({ field }) => [field, members[field] ?? z.never()] as const)
  const others = Object.entries(inputs).filter(([, input]) => kind === 'create' || !input.meta()?.createOnly)
  const shape = [...fields, ...others].map(([name, field]) => {
    const form = described(isPatch ? patchForm(writeForm(field, 'staff')) : writeForm(field, 'staff'), field)
    return [name, !isPatch && required.includes(name) ? form : form.optional()]
  })
  return z.strictObject(Object.fromEntries(shape))
}

function patchForm(schema: z.ZodType): z.ZodType {
  const inner = unwrapped(schema)
  if (!isObjectSchema(inner)) return schema
  const shape = Object.entries(membersOf(inner)).map(([name, field]) => [name, described(patchForm(field), field).nullable().optional()])
  const form = named(z.strictObject(Object.fromEntries(shape)), inner, patchSuffix)
  return schema instanceof z.ZodNullable ? form.nullable() : form
}

/** The end of the names of objects whose members a patch may omit. Lists and unions in a patch are replaced as a whole. */
export const patchSuffix = 'Patch'

function named(form: z.ZodType, source: z.ZodType, suffix = ''): z.ZodType {
  const { component } = source.meta() ?? {}
  return component === undefined ? form : form.meta({ component: component + suffix })
}

/** Returns the documented schema: fields that some views hide, and alternatives to one another, are optional; all others are required. */
function documented(schema: z.ZodType): z.ZodType {
  if (schema.meta()?.isSummarized) return z.array(z.looseObject({}))
  if (isObjectSchema(schema)) {
    const shape = Object.entries(membersOf(schema)).map(([name, field]) => {
      const form = documented(field)
      const meta = { ...field.meta(), ...wholeExample(field) }
      return [name, (viewOf(field) === 'public' && !isOnDemand(field) && !isOneOfSeveral(field) ? form : form.optional()).meta(meta)]
    })
    return named(z.object(Object.fromEntries(shape)), schema)
  }
  if (isNullable(schema)) return documented(schema.unwrap()).nullable()
  if (isWrapper(schema)) return documented(schema.unwrap())
  if (isArray(schema)) return schema.clone({ ...schema.def, element: documented(schema.element) })
  if (schema instanceof z.ZodUnion) return named(schema.clone({ ...schema.def, options: optionsOf(schema).map(documented) }), schema)
  return schema
}

/** True for a field that is either present or replaced by another one: it may be absent, but is never null. */
const isOneOfSeveral = (field: z.ZodType): boolean => field instanceof z.ZodOptional && !(field.unwrap() instanceof z.ZodNullable)

/** Returns the example of an object or list made of the examples of its members, because its declared example may be incomplete. */
function wholeExample(field: z.ZodType): { example?: unknown } {
  const inner = unwrapped(field)
  if (!(inner instanceof z.ZodObject || inner instanceof z.ZodArray) || (field.meta()?.example ?? null) === null) return {}
  return { example: exampleValue(field) }
}

const omitted: ReadonlySet<string> = new Set(['$id', 'id', '$schema', 'idPrefix', ...internalMeta])
const omittedWithDefaults: ReadonlySet<string> = new Set([...omitted, 'default'])

/** Removes internal members, and writes nullable types in the form of OpenAPI 3.0. */
function finished(schema: JsonSchema, omit: ReadonlySet<string> = omitted): JsonSchema {
  const kept = Object.entries(schema)
    .filter(([name]) => !omit.has(name))
    .toSorted(([left], [right]) => rankOf(right) - rankOf(left))
  const inside = (inner: unknown): JsonSchema => finished(isObject(inner) ? inner : {}, omit)
  const entries = kept.map(([name, value]): [string, unknown] => {
    if (name === 'properties' && isObject(value))
      return [name, Object.fromEntries(Object.entries(value).map(([field, inner]) => [field, inside(inner)]))]
    if (Array.isArray(value) && ['allOf', 'anyOf', 'oneOf'].includes(name)) return [name, value.map(inside)]
    if (['items', 'additionalProperties', 'not'].includes(name) && typeof value === 'object' && value !== null) return [name, inside(value)]
    return [name, value]
  })
  const { allOf, pattern, minimum, maximum, ...rest } = Object.fromEntries(entries)
  // Validators and generators disagree about a default next to the literals of its members.
  if (isObject(rest.default)) delete rest.default
  const result: JsonSchema = {
    ...rest,
    // JSON Schema does not need the limits of the integers of JavaScript.
    ...(minimum !== undefined && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    // A format replaces the pattern. Unicode classes are omitted, because not every language supports them.
    // A slash needs an escape in JavaScript alone.
    ...(pattern !== undefined &&
      rest.format === undefined &&
      !String(pattern).includes('\\p{') && { pattern: String(pattern).replaceAll('\\/', '/') }),
    ...(allOf !== undefined && (rest.nullable ? { anyOf: allOf } : { allOf })),
  }
  if (result.nullable && Array.isArray(result.enum) && !result.enum.includes(null)) result.enum = [...result.enum, null]
  // A reference to a component gets the null itself.
  return result.nullable && result.type === undefined && result.component === undefined ? withNull(result) : result
}

/** The first members are the same everywhere: fields that repeat are then the same text, which `gzip` shortens. */
const rankOf = (member: string): number => ['type', 'nullable', 'description'].indexOf(member)

/** The schema of null: OpenAPI 3.0 has no type for it. */
export const nullSchema: JsonSchema = { type: 'string', nullable: true, enum: [null] }

/** Returns the schema of a nullable union: OpenAPI 3.0 allows `nullable` only next to a type. */
function withNull({ nullable, ...schema }: JsonSchema): JsonSchema {
  for (const name of ['anyOf', 'oneOf']) {
    const options = schema[name]
    if (Array.isArray(options)) return { ...schema, [name]: [...options, nullSchema] }
  }
  return { nullable, ...schema }
}

const pageSchema = (name: string): JsonSchema => ({
  type: 'object',
  required: ['object', 'data', 'page'],
  properties: {
    object: { type: 'string', enum: ['list'] },
    data: { type: 'array', items: { $ref: referenceTo(name) } },
    page: { $ref: referenceTo('Paging') },
  },
})

export const pageInfoSchema: JsonSchema = {
  type: 'object',
  required: ['limit', 'has_more', 'next_cursor', 'prev_cursor'],
  properties: {
    limit: { type: 'integer', description: 'Rows per page.', example: 20 },
    has_more: { type: 'boolean', description: 'True if there is a next page.', example: false },
    next_cursor: { type: 'string', nullable: true, description: 'Cursor of the next page.', example: null },
    prev_cursor: { type: 'string', nullable: true, description: 'Cursor of the previous page.', example: null },
    total: {
      type: 'object',
      description: 'Present only with include=total_count.',
      required: ['count', 'relation'],
      properties: {
        count: { type: 'integer', description: 'Number of rows.', example: 14 },
        relation: {
          type: 'string',
          enum: ['eq', 'gte'],
          description: 'eq if the count is exact, gte if there are at least this many rows.',
          example: 'eq',
        },
      },
    },
  },
}

/**
 * Returns the response schema of an operation, or of one across types, which has no resource. Rows are references; other responses are those
 * of the published schemas.
 */
export const answerSchema = (operation: Operation | AcrossTypes, schemas: Readonly<Record<string, JsonSchema>>): JsonSchema | undefined => {
  if (!('kind' in operation)) return pageSchema(operation.listed)
  if (operation.successStatus === 204) return undefined
  if (operation.kind === 'list') return pageSchema(schemaName(operation.resource.object))
  if (ownOutput(operation)) return schemas[outputName(operation)]
  if (operation.kind === 'collection') return { type: 'object' }
  return { $ref: referenceTo(schemaName(resourceInResponse(operation).object)) }
}
