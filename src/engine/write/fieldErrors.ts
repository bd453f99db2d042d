import type { z } from 'zod'
import { Problem, type ProblemCode, type ProblemDetail } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import { nearest } from '../../base/text/nearest.ts'

const ownCodes: readonly ProblemCode[] = [
  'unknown_field',
  'read_only_field',
  'immutable_field',
  'invalid_reference',
  'reserved_slug',
  'low_contrast',
]
const maxDetails = 100

/** Returns all field errors of a body as one Problem. Its code is that of the first error if the table of problems has it. */
export function problemOfFieldErrors(fieldErrors: readonly [ProblemDetail, ...ProblemDetail[]]): Problem {
  const [first, ...others] = fieldErrors
  const code = ownCodes.find((own) => own === first.code) ?? 'validation_failed'
  const description = others.length === 0 ? first.message : `${first.message} ${others.length} more in details.`
  return new Problem(code, { description, details: fieldErrors.slice(0, maxDetails) })
}

/** Returns the error for a field that does not exist. It names the nearest of the fields, or else all that can be sent. */
export function unknownField(field: string, names: readonly string[], sendable: readonly string[] = names): ProblemDetail {
  const near = nearest(field.split('.').at(-1) ?? field, names)
  const fix = near ? `did you mean ${near}?` : sendable.length > 0 ? `it takes ${sendable.join(', ')}.` : undefined
  const name = field.slice(0, 100)
  return {
    field: name,
    code: 'unknown_field',
    message: `There is no field ${name}${fix ? `: ${fix}` : '.'}`,
    ...(near && { meta: { nearest: near } }),
  }
}

/** The most suggestions for one body: each one compares the name with every field, which takes time. */
export const maxSuggestions = 10

export const unknownFields = (fields: readonly string[], names: readonly string[]): ProblemDetail[] =>
  fields.slice(0, maxDetails).map((field, index) => unknownField(field, index < maxSuggestions ? names : []))

export function fieldErrorsOf(field: string, { issues }: z.ZodError): ProblemDetail[] {
  const fieldErrors = issues.slice(0, maxDetails).flatMap((issue): ProblemDetail[] => {
    const path = [field, ...issue.path.map(String)].join('.').slice(0, 200)
    if (issue.code === 'unrecognized_keys')
      return unknownFields(
        issue.keys.map((key) => `${path}.${key}`),
        issue.message.split(', '),
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
    case 'invalid_union':
      return 'options' in issue && issue.options ? { code: 'not_allowed', meta: { allowed: issue.options } } : { code: 'invalid' }
    case 'invalid_format':
      return { code: 'format', meta: { format: issue.format } }
    case 'invalid_type':
      return {
        code: issue.input === undefined ? 'required' : 'type',
        meta: { type: issue.expected },
      }
    case 'custom':
      return { code: String(issue.params?.code ?? 'invalid') }
    default:
      return { code: 'invalid' }
  }
}

/** Returns errors for texts that no database column can store, at any depth. */
export function unstorableTexts(field: string, value: unknown): ProblemDetail[] {
  if (typeof value === 'string') return isStorable(value) ? [] : [unstorable(field)]
  if (Array.isArray(value)) return value.flatMap((one, index) => unstorableTexts(`${field}.${index}`, one))
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    if (name === '__proto__') return [reservedName(field)]
    return isStorable(name) ? unstorableTexts(`${field}.${name}`, inner) : [unstorable(field)]
  })
}

// Objects of JavaScript do not keep a member of this name: it would be lost without an error.
const reservedName = (field: string): ProblemDetail => ({
  field: field.slice(0, 200),
  code: 'not_storable',
  message: `${field.slice(0, 200)}: must not have a member named __proto__. Rename it.`,
})

const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const unstorable = (field: string): ProblemDetail => ({
  field: field.slice(0, 200),
  code: 'not_storable',
  message: `${field.slice(0, 200)}: must not contain U+0000 or a lone surrogate. Remove it.`,
})
