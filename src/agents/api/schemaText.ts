import type { JsonSchema } from '../../engine/output/publishedSchemas.ts'

/** A member of an object with its path and its type in words, or one of the forms of a member. */
export interface FieldLine {
  /** With dots: `price.amount`, `sections[].title`. */
  path: string
  type: string
  /** True if the type is a form in braces, which belongs into code. */
  isForm: boolean
  description: string
  isRequired: boolean
  isWritten: boolean
}

/**
 * Returns the members of an object to the leaves: those of inner objects under their path, and each form of a union as one line.
 * `written` is the schema in the form in which callers send it.
 */
export function fieldLines(schema: JsonSchema, written: JsonSchema | undefined = schema, prefix = ''): FieldLine[] {
  const sent = propertiesOf(written)
  const required = requiredOf(written)
  return Object.entries(propertiesOf(schema)).flatMap(([name, field]): FieldLine[] => {
    const [path, isWritten] = [prefix + name, name in sent]
    const line = { path, type: typeText(field), isForm: false, isRequired: required.has(name), isWritten, description: aboutOf(field) }
    return [line, ...innerLines(field, sent[name] ?? {}, path)]
  })
}

function innerLines(field: JsonSchema, written: JsonSchema, path: string): FieldLine[] {
  if (field.type === 'array') return innerLines(Object(field.items), Object(written.items), `${path}[]`)
  if (isMoney(field)) return []
  const sent = formsOf(written)
  const described = new Set<string>()
  const lines = formsOf(field)
    .filter(({ properties }) => properties)
    .map((form, index) => ({
      path,
      type: formText(form, sent[index]),
      isForm: true,
      isRequired: false,
      isWritten: sent.length > 0,
      description: newTexts(describedMembers(form), described),
    }))
  return [...lines, ...fieldLines(field, written, `${path}.`)]
}

const propertiesOf = ({ properties }: JsonSchema): Record<string, JsonSchema> => Object(properties) as Record<string, JsonSchema>

const requiredOf = ({ required }: JsonSchema): ReadonlySet<unknown> => new Set(Array.isArray(required) ? required : [])

const formsOf = ({ anyOf, oneOf }: JsonSchema): JsonSchema[] => [anyOf, oneOf].find(Array.isArray) ?? []

const aboutOf = ({ description }: JsonSchema): string => String(description ?? '')

/** Returns the texts that no form before had, in one line. */
function newTexts(members: readonly MemberText[], described: Set<string>): string {
  const texts = members.map(({ name, text }) => `\`${name}\`: ${text}`).filter((text) => !described.has(text))
  for (const text of texts) described.add(text)
  return texts.join(' ')
}

/** Returns a whole value in words, objects in braces: `{type: percent, percent_off: number 0.01..100}`. A question mark: may be absent. */
export function formText(schema: JsonSchema, written: JsonSchema = {}): string {
  if (schema.type === 'array') return `${listText(schema)} ${formText(Object(schema.items), Object(written.items))}${orNull(schema)}`
  const forms = formsOf(schema).filter(({ properties }) => properties)
  if (forms.length > 0)
    return `${forms.map((form) => formText(form)).join(' or ')}${orNull({ nullable: forms.length < formsOf(schema).length })}`
  if (!schema.properties || isMoney(schema)) return typeText(schema)
  const [sent, required] = [propertiesOf(written), requiredOf(written)]
  const members = Object.entries(propertiesOf(schema)).map(
    ([name, member]) => `${name}${name in sent && !required.has(name) ? '?' : ''}: ${formText(member, sent[name])}`,
  )
  return `{${members.join(', ')}}${orNull(schema)}`
}

export interface MemberText {
  name: string
  text: string
}

/** Returns what the members of an object mean, at any depth, except for those that have one possible value. */
export function describedMembers(schema: JsonSchema): MemberText[] {
  return Object.entries(propertiesOf(schema)).flatMap(([name, member]): MemberText[] => {
    const own = isOneWord(member) || !member.description ? [] : [{ name, text: aboutOf(member) }]
    const items: JsonSchema = Object(member.items)
    const inner = [items, member, ...formsOf(member)].filter((one) => !isMoney(one))
    return [...own, ...inner.flatMap(describedMembers)]
  })
}

const isOneWord = ({ enum: values }: JsonSchema): boolean => Array.isArray(values) && values.length === 1

/** True for an amount of money, whose members the documents describe once. */
function isMoney(schema: JsonSchema): boolean {
  return Object.keys(propertiesOf(schema)).join() === 'amount,currency'
}

/** Returns the type of a schema in words: `text up to 160`, `draft | published`, `list of ids or null`. */
export function typeText(schema: JsonSchema): string {
  return `${kindText(schema)}${orNull(schema)}`
}

function kindText(schema: JsonSchema): string {
  const { type, enum: values, format, items, minimum, maximum, maxLength, pattern, additionalProperties } = schema
  if (Array.isArray(values)) return values.filter((value) => value !== null).join(' | ')
  const forms = formsOf(schema).filter(({ nullable, type: kind }) => !(nullable && kind === 'object'))
  if (forms.length > 0) return [...new Set(forms.map(kindText))].join(' or ')
  if (type === 'array') return `${listText(schema)} ${kindText(Object(items))}`
  if (isMoney(schema)) return Object(propertiesOf(schema).amount).minimum === undefined ? 'money (also negative)' : 'money'
  if (type === 'integer' || type === 'number') return `${type}${rangeText(minimum, maximum)}`
  if (type === 'string')
    return format !== undefined ? String(format) : `${idText(pattern)}${maxLength === undefined ? '' : ` up to ${maxLength}`}`
  if (Object.keys(Object(additionalProperties)).length > 0) return `object of ${kindText(Object(additionalProperties))}`
  return String(type ?? 'any')
}

const orNull = ({ nullable }: JsonSchema): string => (nullable ? ' or null' : '')

const listText = ({ maxItems }: JsonSchema): string => (maxItems === undefined ? 'list of' : `list (at most ${maxItems}) of`)

const rangeText = (minimum: unknown, maximum: unknown): string =>
  minimum === undefined && maximum === undefined ? '' : ` ${minimum ?? ''}..${maximum ?? ''}`

const idText = (pattern: unknown): string => /^\^(\w+_)\[0-7\]/.exec(String(pattern))?.[1]?.concat('…') ?? 'text'
