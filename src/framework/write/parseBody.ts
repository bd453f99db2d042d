import { z } from 'zod'
import type { ProblemDetail } from '../../lib/problem.ts'
import { type Audience, audienceOf, type Caller } from '../../policy/caller.ts'
import type { Resource } from '../declare/resource.ts'
import { isObjectSchema, membersOf, unwrapped } from '../declare/schemas.ts'
import { isReserved } from '../declare/slugs.ts'
import { isShownIn, type View } from '../declare/views.ts'
import { isSendable, writeForm } from '../declare/writeForm.ts'
import { checkValue } from './checkValue.ts'
import { fieldErrorsOf, maxSuggestions, problemOfFieldErrors, unknownField, unknownFields, unstorableTexts } from './fieldErrors.ts'
import { isObject, mergePatch } from './mergePatch.ts'

export interface BodyRules {
  resource: Resource
  caller: Caller
  /** What of the row the caller sees: fields beyond it do not exist. */
  view: View
  /** The row as it is now, with all its fields; absent where a whole row is sent. */
  current?: Readonly<Record<string, unknown>>
  /** A whole row is sent to take the place of one: what is sent only with a new row is refused. */
  isReplacement?: boolean
}

/** What is wrong, and the values of what is right. */
export interface ParsedBody {
  values: Record<string, unknown>
  fieldErrors: ProblemDetail[]
}

/**
 * Reads the fields that a client sent: a new row, or a JSON Merge Patch (RFC 7396) to one. Values come out complete,
 * and every faulty field is found at once.
 */
export function parseBody(rules: BodyRules, body: unknown): ParsedBody {
  if (!isObject(body)) return { values: {}, fieldErrors: [{ code: 'type', message: 'The body must be a JSON object.' }] }
  const { resource, current } = rules
  const values = new Map<string, unknown>()
  let suggestions = 0
  const fieldErrors = Object.entries(body).flatMap(([field, sent]) => {
    const refused = refusalOf(rules, field, suggestions < maxSuggestions) ?? [
      ...unstorableTexts(field.slice(0, 100), sent),
      ...readOnlyMembers(membersOf(rules.resource.schema)[field], field, sent),
    ]
    if (refused[0]?.code === 'unknown_field') suggestions += 1
    if (refused.length > 0) return refused
    const result = readField(rules, field, sent)
    if (result.success) values.set(field, result.data)
    return result.success ? reservedSlug(rules.resource, field, result.data) : fieldErrorsOf(field, result.error)
  })
  if (current === undefined) {
    for (const field of resource.required) {
      if (!Object.hasOwn(body, field)) fieldErrors.push({ field, code: 'required', message: `${field}: is required. Send it.` })
    }
  }
  return { values: Object.fromEntries(values), fieldErrors }
}

/** Reads a whole row that takes the place of one: what was not sent takes its default or is nothing; without either it is missing. */
export function parseWholeBody(rules: Omit<BodyRules, 'current'>, body: unknown): ParsedBody {
  const { values, fieldErrors } = parseBody({ ...rules, isReplacement: true }, body)
  if (!isObject(body)) return { values, fieldErrors }
  const audience = audienceOf(rules.caller)
  const writable = rules.resource.writable.filter(({ roles, isCreateOnly }) => !isCreateOnly && (roles?.includes(audience) ?? true))
  for (const { field } of writable) {
    if (field in values || Object.hasOwn(body, field)) continue
    const schema = membersOf(rules.resource.schema)[field]
    if (!schema || !isShownIn(rules.view, schema)) continue
    const absent = writeForm(schema, rules.view)
    const result = checkValue(absent, absent instanceof z.ZodNullable ? null : undefined)
    if (result.success) values[field] = result.data
    else if (!fieldErrors.some((fault) => fault.field === field))
      fieldErrors.push({ field, code: 'required', message: `${field}: is required. Send it.` })
  }
  return { values, fieldErrors }
}

/** @throws Problem with every fault, where there are any */
export function requireNoFieldErrors(fieldErrors: readonly ProblemDetail[]): void {
  const [first, ...others] = fieldErrors
  if (first) throw problemOfFieldErrors([first, ...others])
}

/**
 * The input of an action.
 * @throws Problem
 */
export function parseInput(input: z.ZodObject | undefined, body: unknown): Record<string, unknown> {
  if (!isObject(body)) throw problemOfFieldErrors([{ code: 'type', message: 'The body must be a JSON object.' }])
  const texts = Object.entries(body).flatMap(([field, value]) => unstorableTexts(field.slice(0, 100), value))
  requireNoFieldErrors(texts)
  const schema = writeForm(input ?? z.object({}), 'staff')
  const result = checkValue(schema, body)
  if (result.success) return result.data
  const names = Object.keys(input?.shape ?? {})
  const fieldErrors = result.error.issues.flatMap((issue): ProblemDetail[] => {
    const [field, ...path] = issue.path
    if (field === undefined && issue.code === 'unrecognized_keys') return unknownFields(issue.keys, names)
    return fieldErrorsOf(String(field ?? 'body'), new z.ZodError([{ ...issue, path }]))
  })
  requireNoFieldErrors(fieldErrors)
  throw new Error('an input was refused without a fault')
}

function refusalOf(
  { resource, caller, view, current, isReplacement }: BodyRules,
  field: string,
  maySuggest: boolean,
): ProblemDetail[] | undefined {
  const isNew = current === undefined && !isReplacement
  const input = Object.hasOwn(resource.inputs, field) ? resource.inputs[field] : undefined
  if (input) return input.meta()?.createOnly && !isNew ? [immutable(field)] : undefined
  const shown = resource.schemas[view].shape
  const known = Object.hasOwn(shown, field)
  const audience: Audience = audienceOf(caller)
  const rule = resource.writable.find((one) => one.field === field)
  if (!known) return [unknownField(field, maySuggest ? [...Object.keys(shown), ...Object.keys(resource.inputs)] : [])]
  if (!rule) return [{ field, code: 'read_only_field', message: `${field}: cannot be written` }]
  if (rule.roles && !rule.roles.includes(audience)) {
    return [{ field, code: 'read_only_field', message: `${field}: cannot be written by the role ${audience}` }]
  }
  if (rule.isUpdateOnly && isNew) return [{ field, code: 'read_only_field', message: `${field}: cannot be set when the row is created` }]
  return rule.isCreateOnly && !isNew ? [immutable(field)] : undefined
}

const immutable = (field: string): ProblemDetail => ({
  field,
  code: 'immutable_field',
  message: `${field}: cannot be changed after the row was made`,
})

function readField({ resource, view, current }: BodyRules, field: string, sent: unknown): z.ZodSafeParseResult<unknown> {
  const schema = resource.inputs[field] ?? membersOf(resource.schema)[field] ?? z.never()
  if (current === undefined || !(field in resource.schema.shape)) return checkValue(writeForm(schema, view), sent)
  const seen = sendablePart(schema, current[field], view)
  const result = checkValue(writeForm(schema, view), merged(schema, seen, sent))
  // What the view does not show of the field stays as it is.
  return result.success && view !== 'staff'
    ? checkValue(writeForm(schema, 'staff'), merged(schema, sendablePart(schema, current[field], 'staff'), sent))
    : result
}

/** What of a value the view shows and can be sent back. */
export function sendablePart(schema: z.ZodType, value: unknown, view: View): unknown {
  const inner = unwrapped(schema)
  if (!isObjectSchema(inner) || !isObject(value)) return value
  const shape = membersOf(inner)
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const field = shape[name]
      return field && isShownIn(view, field) && isSendable(field) ? [[name, sendablePart(field, member, view)]] : []
    }),
  )
}

/** Members of an object that are answered and never sent. */
function readOnlyMembers(schema: z.ZodType | undefined, path: string, sent: unknown): ProblemDetail[] {
  const inner = schema && unwrapped(schema)
  if (!inner || !isObjectSchema(inner) || !isObject(sent)) return []
  const shape = membersOf(inner)
  return Object.keys(sent)
    .filter((name) => Object.hasOwn(shape, name) && !isSendable(shape[name] ?? z.never()))
    .map((name) => ({ field: `${path}.${name}`, code: 'read_only_field', message: `${path}.${name}: cannot be written` }))
}

/** null removes: the field falls back to its default, or is nothing. */
function merged(schema: z.ZodType, target: unknown, sent: unknown): unknown {
  if (sent === null) return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? undefined : null
  return mergePatch(target, sent)
}

const reservedSlug = (resource: Resource, field: string, value: unknown): ProblemDetail[] =>
  field === 'slug' && isReserved(resource, String(value))
    ? [{ field, code: 'reserved_slug', message: `slug: ${String(value)} is kept for an address of the API` }]
    : []
