import { z } from 'zod'
import { Problem, type ProblemDetail } from '../../base/problem.ts'
import { nearest } from '../../base/text/nearest.ts'
import { type NoMembers, type ParameterValues, parameterValues } from '../declare/expressions.ts'
import type { Parameter } from '../declare/parameters.ts'
import { hasDefault, isArray } from '../declare/views.ts'
import { checkValue } from '../write/parseBody.ts'

const maxErrors = 20
const maxTextLength = 8192

/**
 * Parses the parameters of a request: text from a URL, or JSON values from a tool call.
 * @throws Problem invalid_parameter that lists every error, and suggests the nearest name for an unknown parameter
 */
export function parseParameters<Shape extends z.ZodRawShape = NoMembers>(
  parameters: readonly Parameter[],
  raw: Readonly<Record<string, unknown>>,
): ParameterValues<Shape> {
  const fieldErrors: ProblemDetail[] = []
  const values = new Map<string, unknown>()
  const unknown = Object.keys(raw).filter((name) => !parameters.some((parameter) => parameter.name === name))
  // Limited, because finding the nearest name takes time.
  for (const name of unknown.slice(0, maxErrors)) fieldErrors.push(unknownParameter(name, parameters))
  for (const { name, schema, isRequired } of parameters) {
    const sent = Object.hasOwn(raw, name) ? raw[name] : undefined
    if (sent === undefined && !isRequired && rejectsAbsence.has(schema.type)) continue
    const result = checkValue(schema, readable(schema, sent))
    if (result.success) values.set(name, result.data)
    else if (sent !== undefined || isRequired) fieldErrors.push(fieldErrorOf(name, result.error))
  }
  const [first] = fieldErrors
  if (first) {
    const others = fieldErrors.length > 1 ? ` ${Math.min(fieldErrors.length, maxErrors) - 1} more in details.` : ''
    throw new Problem('invalid_parameter', { description: `${first.message}${others}`, details: fieldErrors.slice(0, maxErrors) })
  }
  return parameterValues(values)
}

/** Types of schemas that reject an absent value: most parameters of a request are absent. */
const rejectsAbsence: ReadonlySet<string> = new Set(['string', 'array', 'enum', 'boolean', 'number'])

/** A time whose `+` was not encoded: in a query it means a space. */
const spaceForPlus = /^\d{4}-\d\d-\d\dT[\d:.]{5,20} \d\d:?\d\d$/

/** Converts text to the number, boolean or list that the schema expects. */
function readable(schema: z.ZodType, sent: unknown): unknown {
  if (typeof sent === 'string' && sent.length > maxTextLength) return undefined
  if (hasDefault(schema)) return sent === undefined ? undefined : readable(schema.unwrap(), sent)
  if (isArray(schema)) {
    const list = typeof sent === 'string' ? sent.split(',') : Array.isArray(sent) || sent === undefined ? sent : [sent]
    return Array.isArray(list) ? list.map((one) => readable(schema.element, one)) : list
  }
  if (typeof sent !== 'string') return sent
  if (spaceForPlus.test(sent)) return sent.replace(' ', '+')
  if (schema instanceof z.ZodNumber) return /^-?\d{1,15}$/.test(sent) ? Number(sent) : sent
  if (schema instanceof z.ZodBoolean) return sent === 'true' ? true : sent === 'false' ? false : sent
  // PostgreSQL cannot store U+0000 in text. No schema accepts undefined.
  return sent.includes('\0') || sent.length > 4096 ? undefined : sent
}

const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    q: ['search', 'query', 'text', 'term', 'keyword'],
    limit: ['per_page', 'page_size', 'size', 'count', 'top', 'first'],
    cursor: ['page', 'offset', 'starting_after', 'after', 'page_token', 'skip'],
    sort: ['order', 'order_by', 'sort_by', 'ordering'],
    expand: ['embed', 'with'],
    fields: ['select', 'only'],
  }).flatMap(([name, others]) => others.map((other) => [other, name])),
)

function unknownParameter(name: string, parameters: readonly Parameter[]): ProblemDetail {
  const names = parameters.map((parameter) => parameter.name)
  const near = [synonyms.get(name)].find((synonym) => synonym !== undefined && names.includes(synonym)) ?? nearest(name, names)
  const wayOut = near ? `did you mean ${near}?` : names.length > 0 ? `it takes ${names.join(', ')}.` : 'it takes no parameters.'
  return {
    field: name.slice(0, 100),
    code: 'unknown',
    message: `This operation has no parameter ${name.slice(0, 100)}: ${wayOut}`,
    ...(near && { meta: { nearest: near } }),
  }
}

function fieldErrorOf(name: string, error: z.ZodError): ProblemDetail {
  const [issue] = error.issues
  return { field: name, code: issue?.code ?? 'invalid', message: `${name}: ${issue?.message ?? 'is not valid'}` }
}
