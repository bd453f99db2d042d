import { z } from 'zod'

const types: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
}

const formats: Readonly<Record<string, string>> = {
  email: 'must be an e-mail address such as name@example.com',
  url: 'must be a web address such as https://school.example/page',
  datetime: 'must be a time with its zone (RFC 3339) such as 2026-03-01T09:30:00Z',
  date: 'must be a date such as 2026-03-01',
  time: 'must be a time of day such as 09:30:00',
  uuid: 'must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057',
}

/**
 * Returns the rule that a value breaks, and the fix; for unknown members, the names of the known ones. A schema can define a more specific
 * message.
 */
export function explainIssue(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is required. Send it.' : wrongType(issue)
    case 'too_small':
      return tooSmall(issue)
    case 'too_big':
      return tooBig(issue)
    case 'invalid_value':
      return oneOf(issue.values)
    case 'invalid_format':
      return `${formats[issue.format] ?? wrongForm(issue.pattern)}.`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}.`
    case 'unrecognized_keys':
      return knownMembers(issue.inst)
    case 'invalid_key':
      return `must not have a member of this name: the name ${issue.issues?.[0]?.message ?? 'is not allowed.'}`
    case 'invalid_union':
      return Array.isArray(issue.options) ? oneOf(issue.options) : `must be ${formsOf(issue.errors)}.`
    case 'invalid_element':
    case 'custom':
      return 'is not valid.'
  }
}

const knownMembers = (schema: unknown): string => (schema instanceof z.ZodObject ? Object.keys(schema.shape).join(', ') : '')

const oneOf = (values: readonly unknown[]): string => `must be ${values.length === 1 ? '' : 'one of '}${values.map(String).join(', ')}.`

/** Returns the types of the forms, of which a value has none. */
const formsOf = (errors: readonly (readonly z.core.$ZodIssue[])[]): string =>
  [...new Set(errors.flatMap(([issue]) => (issue?.code === 'invalid_type' ? [types[issue.expected] ?? issue.expected] : [])))].join(' or ')

const wrongForm = (pattern: string | undefined): string =>
  pattern ? `must match ${pattern.slice(0, 100)}` : 'has a form that is not valid'

function wrongType({ expected, input }: { expected: string; input?: unknown }): string {
  if (typeof input === 'number' && (expected === 'number' || expected === 'int')) {
    return Number.isFinite(input) ? 'must be a whole number. Remove the fraction.' : 'must be a finite number.'
  }
  return `must be ${types[expected] ?? expected}, is ${types[typeOf(input)] ?? typeOf(input)}.`
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

interface Bounded {
  origin: string
  input?: unknown
  inclusive?: boolean
}

function tooSmall({ minimum, ...issue }: Bounded & { minimum: number | bigint }): string {
  const unit = unitOf(issue.origin)
  if (unit === undefined) return `must be ${issue.inclusive === false ? 'greater than' : 'at least'} ${minimum}. Send a larger number.`
  if (Number(minimum) === 1) return `must not be empty. Send at least one ${unit}.`
  return `must have at least ${minimum} ${unit}s, has ${lengthOf(issue.input)}. Send more.`
}

function tooBig({ maximum, ...issue }: Bounded & { maximum: number | bigint }): string {
  const unit = unitOf(issue.origin)
  if (unit === undefined) return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${maximum}. Send a smaller number.`
  const fix = unit === 'character' ? 'Shorten it.' : 'Send fewer.'
  return `must have at most ${maximum} ${unit}${Number(maximum) === 1 ? '' : 's'}, has ${lengthOf(issue.input)}. ${fix}`
}

const units: Readonly<Record<string, string>> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'member',
  record: 'member',
  object: 'member',
}

const unitOf = (origin: string): string | undefined => units[origin]

const lengthOf = (value: unknown): number => (typeof value === 'string' || Array.isArray(value) ? value.length : 0)
