import { z } from 'zod'
import { type Audience, audienceOf, type Caller } from '../../base/caller.ts'
import type { ProblemDetail } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { Resource, WritableField } from '../declare/resource.ts'
import { isReserved } from '../declare/slugs.ts'
import { isObjectSchema, isSendable, isShownIn, membersOf, unwrapped, type View, writeForm } from '../declare/views.ts'
import { maxItems } from './bulk.ts'
import { explainIssue } from './explainIssue.ts'
import { fieldErrorsOf, maxSuggestions, problemOfFieldErrors, unknownField, unknownFields, unstorableTexts } from './fieldErrors.ts'

export interface BodyRules {
  resource: Resource
  caller: Caller
  /** The caller's view of the row. Fields outside the view do not exist for the caller. */
  view: View
  /** The current row with all its fields; absent if the body is a whole row. */
  current?: Readonly<Record<string, unknown>>
  /** True if the body replaces an existing row: fields that can be set only at creation are rejected. */
  isReplacement?: boolean
}

export interface ParsedBody {
  values: Record<string, unknown>
  fieldErrors: ProblemDetail[]
}

/**
 * Parses the fields of a body: a new row, or a JSON Merge Patch (RFC 7396). Returns complete values and the errors of every invalid
 * field.
 */
export function parseBody(rules: BodyRules, body: unknown): ParsedBody {
  if (!isObject(body)) return { values: {}, fieldErrors: [{ code: 'type', message: 'The body must be a JSON object.' }] }
  const { resource, current } = rules
  const values = new Map<string, unknown>()
  let suggestions = 0
  const fieldErrors = Object.entries(body).flatMap(([field, sent]) => {
    const rejected = rejectionOf(rules, field, suggestions < maxSuggestions) ?? [
      ...unstorableTexts(field.slice(0, 100), sent),
      ...readOnlyMembers(membersOf(rules.resource.schema)[field], field, sent),
    ]
    if (rejected[0]?.code === 'unknown_field') suggestions += 1
    if (rejected.length > 0) return rejected
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

/** Parses a whole row that replaces one. Absent fields get their default or null; a field that has neither is required. */
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
    else if (!fieldErrors.some((error) => error.field === field))
      fieldErrors.push({ field, code: 'required', message: `${field}: is required. Send it.` })
  }
  return { values, fieldErrors }
}

/** @throws Problem with every field error, if there are any */
export function requireNoFieldErrors(fieldErrors: readonly ProblemDetail[]): void {
  const [first, ...others] = fieldErrors
  if (first) throw problemOfFieldErrors([first, ...others])
}

/**
 * Parses the input of an action. `checksEach` names a list whose items stay as they were sent: the action checks each.
 * @throws Problem validation_failed, or the common code of all field errors
 */
export function parseInput(input: z.ZodObject | undefined, body: unknown, checksEach?: string): Record<string, unknown> {
  if (!isObject(body)) throw problemOfFieldErrors([{ code: 'type', message: 'The body must be a JSON object.' }])
  const texts = Object.entries(body).flatMap(([field, value]) => (field === checksEach ? [] : unstorableTexts(field.slice(0, 100), value)))
  requireNoFieldErrors(texts)
  const whole = writeForm(input ?? z.object({}), 'staff')
  const schema =
    checksEach === undefined ? whole : z.strictObject({ ...whole.shape, [checksEach]: z.array(z.unknown()).min(1).max(maxItems) })
  const result = checkValue(schema, body)
  if (result.success) return result.data
  const names = Object.keys(input?.shape ?? {})
  const fieldErrors = result.error.issues.flatMap((issue): ProblemDetail[] => {
    const [field, ...path] = issue.path
    if (field === undefined && issue.code === 'unrecognized_keys') return unknownFields(issue.keys, names)
    return fieldErrorsOf(String(field ?? 'body'), new z.ZodError([{ ...issue, path }]))
  })
  requireNoFieldErrors(fieldErrors)
  throw new Error('an input was rejected without a field error')
}

/** Returns the error for a field that the caller may not send; undefined if the field may be sent. */
function rejectionOf(
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
  if (!known && !maySuggest) return [unknownField(field, [])]
  if (!known) {
    const sendable = resource.writable.filter((one) => Object.hasOwn(shown, one.field) && (one.roles?.includes(audience) ?? true))
    const inputs = Object.keys(resource.inputs)
    return [unknownField(field, [...Object.keys(shown), ...inputs], [...sendable.map((one) => one.field), ...inputs])]
  }
  if (!rule) return [{ field, code: 'read_only_field', message: `${field}: cannot be written` }]
  const forOthers = roleError(rule, audience)
  if (forOthers) return [forOthers]
  if (rule.isUpdateOnly && isNew) return [{ field, code: 'read_only_field', message: `${field}: cannot be set when the row is created` }]
  return rule.isCreateOnly && !isNew ? [immutable(field)] : undefined
}

export const roleError = ({ field, roles }: WritableField, audience: Audience): ProblemDetail | undefined =>
  roles && !roles.includes(audience)
    ? { field, code: 'read_only_field', message: `${field}: cannot be written by the role ${audience}` }
    : undefined

const immutable = (field: string): ProblemDetail => ({
  field,
  code: 'immutable_field',
  message: `${field}: cannot be changed after creation. Remove it.`,
})

function readField({ resource, view, current }: BodyRules, field: string, sent: unknown): z.ZodSafeParseResult<unknown> {
  const schema = resource.inputs[field] ?? membersOf(resource.schema)[field] ?? z.never()
  if (current === undefined || !(field in resource.schema.shape)) return checkValue(writeForm(schema, view), sent)
  const seen = sendablePart(schema, current[field], view)
  const result = checkValue(writeForm(schema, view), merged(schema, seen, sent))
  // Members outside the view keep their value.
  return result.success && view !== 'staff'
    ? checkValue(writeForm(schema, 'staff'), merged(schema, sendablePart(schema, current[field], 'staff'), sent))
    : result
}

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

function readOnlyMembers(schema: z.ZodType | undefined, path: string, sent: unknown): ProblemDetail[] {
  const inner = schema && unwrapped(schema)
  if (!inner || !isObjectSchema(inner) || !isObject(sent)) return []
  const shape = membersOf(inner)
  return Object.keys(sent)
    .filter((name) => Object.hasOwn(shape, name) && !isSendable(shape[name] ?? z.never()))
    .map((name) => ({ field: `${path}.${name}`, code: 'read_only_field', message: `${path}.${name}: cannot be written` }))
}

/** Applies a merge patch to a field. null resets it to its default, or to null. */
function merged(schema: z.ZodType, target: unknown, sent: unknown): unknown {
  if (sent === null) return schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault ? undefined : null
  return mergePatch(target, sent)
}

const reservedSlug = (resource: Resource, field: string, value: unknown): ProblemDetail[] =>
  field === 'slug' && isReserved(resource, String(value))
    ? [{ field, code: 'reserved_slug', message: `slug: ${String(value)} is reserved for a URL of the API. Choose another one.` }]
    : []

/** Applies a merge patch to the target (RFC 7396 section 2): null removes, objects are merged, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  }
  // Object.fromEntries treats __proto__ as an ordinary member; an assignment would not.
  return Object.fromEntries(merged)
}

/** Checks a value against a schema. The issues have our messages and contain the invalid input. */
export const checkValue = <Schema extends z.ZodType>(schema: Schema, value: unknown): z.ZodSafeParseResult<z.output<Schema>> =>
  schema.safeParse(value, { error: explainIssue, reportInput: true })
