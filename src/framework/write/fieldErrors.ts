import type { z } from 'zod'
import { isObject } from '../../lib/jsonValue.ts'
import { nearest } from '../../lib/nearest.ts'
import { Problem, type ProblemCode, type ProblemDetail } from '../../lib/problem.ts'

const ownCodes: ReadonlySet<string> = new Set<ProblemCode>([
  'unknown_field',
  'read_only_field',
  'immutable_field',
  'invalid_reference',
  'reserved_slug',
  'low_contrast',
])
const maxDetails = 100

/** Returns all field errors of a body as one Problem. If all have the same code, the Problem has it too. */
export function problemOfFieldErrors(fieldErrors: readonly [ProblemDetail, ...ProblemDetail[]]): Problem {
  const codes = new Set(fieldErrors.map(({ code }) => code))
  const [first] = fieldErrors
  const code = codes.size === 1 && ownCodes.has(first.code) ? (first.code as ProblemCode) : 'validation_failed'
  const description = fieldErrors.length === 1 ? first.message : `${fieldErrors.length} fields are not valid. See details.`
  return new Problem(code, { description, details: fieldErrors.slice(0, maxDetails) })
}

/** Returns the error for a field that does not exist. */
export function unknownField(field: string, names: readonly string[]): ProblemDetail {
  const near = nearest(field.split('.').at(-1) ?? field, names)
  const name = field.slice(0, 100)
  return {
    field: name,
    code: 'unknown_field',
    message: `There is no field ${name}${near ? `: did you mean ${near}?` : '.'}`,
    ...(near && { meta: { nearest: near } }),
  }
}

/** The most suggestions for one body: each one compares the name with every field, which takes time. */
export const maxSuggestions = 10

/** Returns errors for fields that do not exist. The first ones suggest the nearest name. */
export const unknownFields = (fields: readonly string[], names: readonly string[]): ProblemDetail[] =>
  fields.slice(0, maxDetails).map((field, index) => unknownField(field, index < maxSuggestions ? names : []))

/** Converts the issues of a schema to errors of a field. */
export function fieldErrorsOf(field: string, { issues }: z.ZodError): ProblemDetail[] {
  const fieldErrors = issues.slice(0, maxDetails).flatMap((issue): ProblemDetail[] => {
    const path = [field, ...issue.path.map(String)].join('.').slice(0, 200)
    if (issue.code === 'unrecognized_keys')
      return unknownFields(
        issue.keys.map((key) => `${path}.${key}`),
        [],
      )
    return [{ field: path, message: `${path}: ${issue.message}`, ...codeOf(issue) }]
  })
  // Two checks of one schema can have the same rule.
  return [...new Map(fieldErrors.toReversed().map((error) => [error.message, error])).values()].toReversed()
}

function codeOf(issue: z.core.$ZodIssue): { code: string; meta?: Record<string, unknown> } {
  switch (issue.code) {
    case 'too_small':
      return { code: 'min', meta: { min: Number(issue.minimum) } }
    case 'too_big':
      return { code: 'max', meta: { max: Number(issue.maximum) } }
    case 'invalid_value':
      return { code: 'not_allowed', meta: { allowed: issue.values } }
    case 'invalid_format':
      return { code: 'format', meta: { format: issue.format } }
    case 'invalid_type':
      return {
        code: issue.input === undefined ? 'required' : 'type',
        meta: { type: issue.expected },
      }
    default:
      return { code: 'invalid' }
  }
}

/** Returns errors for texts that no database column can store, at any depth. */
export function unstorableTexts(field: string, value: unknown): ProblemDetail[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [unstorable(field)]
  if (Array.isArray(value)) return value.flatMap((one, index) => unstorableTexts(`${field}.${index}`, one))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) =>
    isStorable(name) ? unstorableTexts(`${field}.${name}`, inner) : [unstorable(field)],
  )
}

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const unstorable = (field: string): ProblemDetail => ({
  field: field.slice(0, 200),
  code: 'not_storable',
  message: `${field.slice(0, 200)}: must not contain U+0000 or a lone surrogate. Remove it.`,
})
