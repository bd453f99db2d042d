import { z } from 'zod'
import type { Operation } from '../declare/operations.ts'
import { isArray, isNullable, isObjectSchema, isOptional, isSendable, isUnion, isWrapper, membersOf, unwrapped } from '../declare/views.ts'
import { bodySchema } from './publishedSchemas.ts'

/** The parameters of the path of an operation, and the members of its body with their limits. */
export interface OperationInput {
  parameters: readonly string[]
  fields: Readonly<Record<string, FieldRules>>
}

/** The values that a member of a body takes, as a form shows them. */
export interface FieldRules {
  /** `other`: a list of objects, or an object whose members vary, which no form shows. */
  kind: 'line' | 'text' | 'number' | 'boolean' | 'choice' | 'time' | 'money' | 'lines' | 'reference' | 'references' | 'group' | 'other'
  isRequired: boolean
  takesNull: boolean
  maxLength?: number | undefined
  options?: readonly string[]
  /** The prefix of the ids that it takes. */
  idPrefix?: string
  /** True for Markdown or HTML. */
  isMarkup?: boolean
  /** The members of a group. */
  members?: Readonly<Record<string, FieldRules>>
  /** For one of several forms of an object: the member that names the form, and the members of each. */
  forms?: { by: string; members: Readonly<Record<string, readonly string[]>> }
}

export function operationInput(operation: Operation): OperationInput {
  const declared = declaredMembers(operation)
  const fields = membersOf(bodySchema(operation) ?? z.object({}))
  return {
    parameters: operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
    fields: Object.fromEntries(
      Object.entries(fields).map(([name, schema]) => {
        const isRequired = !isOptional(schema) && !schema.safeParse(undefined).success
        return [name, { ...rulesOf(declared[name] ?? schema), isRequired, isMarkup: Object.hasOwn(fields, `${name}_format`) }]
      }),
    ),
  }
}

/** Returns the members as they are declared: in the form of a request, times are texts. */
function declaredMembers(operation: Operation): Readonly<Record<string, z.ZodType>> {
  const { kind, resource } = operation
  if (kind === 'action') return membersOf(operation.input ?? z.object({}))
  const input = 'rules' in operation && 'input' in operation.rules ? operation.rules.input : undefined
  return input ? membersOf(input) : { ...membersOf(resource.schema), ...resource.inputs }
}

function rulesOf(schema: z.ZodType): FieldRules {
  const inner = unwrapped(schema)
  const common = { isRequired: false, takesNull: takesNull(schema) }
  const idPrefix = schema.meta()?.idPrefix ?? inner.meta()?.idPrefix
  if (idPrefix !== undefined) return { ...common, kind: 'reference', idPrefix }
  if (inner instanceof z.ZodISODateTime) return { ...common, kind: 'time' }
  if (inner instanceof z.ZodEnum) return { ...common, kind: 'choice', options: inner.options.map(String) }
  if (inner instanceof z.ZodBoolean) return { ...common, kind: 'boolean' }
  if (inner instanceof z.ZodNumber) return { ...common, kind: 'number' }
  if (inner instanceof z.ZodStringFormat) return { ...common, kind: 'line', maxLength: inner.maxLength ?? undefined }
  if (inner instanceof z.ZodString) {
    const maxLength = inner.maxLength ?? undefined
    return { ...common, kind: (maxLength ?? 0) > longestLine ? 'text' : 'line', maxLength }
  }
  if (isArray(inner)) return { ...common, ...elementRules(rulesOf(inner.element)) }
  if (isObjectSchema(inner)) return { ...common, ...objectRules(inner) }
  return isUnion(inner) ? { ...common, ...unionRules(inner) } : { ...common, kind: 'other' }
}

const longestLine = 300

function elementRules({ kind, idPrefix, options }: FieldRules): Pick<FieldRules, 'kind' | 'idPrefix' | 'options'> {
  if (kind === 'reference' && idPrefix !== undefined) return { kind: 'references', idPrefix }
  return kind === 'line' || kind === 'choice' ? { kind: 'lines', ...(options && { options }) } : { kind: 'other' }
}

function objectRules(schema: z.ZodObject): Pick<FieldRules, 'kind' | 'members'> {
  const members = Object.fromEntries(
    Object.entries(membersOf(schema)).flatMap(([name, field]) => (isSendable(field) ? [[name, rulesOf(field)] as const] : [])),
  )
  const names = Object.keys(members).sort().join()
  return names === 'amount,currency' ? { kind: 'money' } : { kind: 'group', members }
}

/** Returns the members of every form of the object, after the one that names the form. */
function unionRules({ options, def }: z.ZodDiscriminatedUnion<readonly z.ZodObject[]>): Pick<FieldRules, 'kind' | 'members' | 'forms'> {
  const by = def.discriminator
  const forms = options.flatMap((option) => {
    const { [by]: kind, ...members } = membersOf(option)
    return kind instanceof z.ZodLiteral ? [{ name: String(kind.value), members }] : []
  })
  const members = forms.flatMap((form) => Object.entries(form.members).map(([name, member]) => [name, rulesOf(member)] as const))
  const choice: FieldRules = { kind: 'choice', isRequired: true, takesNull: false, options: forms.map(({ name }) => name) }
  return {
    kind: 'group',
    members: { [by]: choice, ...Object.fromEntries(members) },
    forms: { by, members: Object.fromEntries(forms.map((form) => [form.name, [by, ...Object.keys(form.members)]])) },
  }
}

const takesNull = (schema: z.ZodType): boolean => isNullable(schema) || (isWrapper(schema) && takesNull(schema.unwrap()))
