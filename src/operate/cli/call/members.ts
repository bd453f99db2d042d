import { Option } from 'commander'
import { z } from 'zod'
import { parseJson } from '../../../base/text/parseJson.ts'
import { exampleValue } from '../../../engine/declare/operations.ts'
import { hasDefault, isArray, isObjectSchema, isOptional, isRecord, isUnion, membersOf, unwrapped } from '../../../engine/declare/views.ts'
import type { OptionOf } from '../command.ts'
import { usage } from '../failures.ts'

/** A value of a request that an option sets: a parameter of the query, or a member of the body at any depth. */
export interface Member {
  path: readonly string[]
  schema: z.ZodType
  description: string | undefined
  isRequired: boolean
}

type Body = Record<string, unknown>

/** Returns the members of a body. Objects in it are replaced by their members: `price.amount`. */
export const bodyMembers = (body: z.ZodObject, above: readonly string[] = []): Member[] =>
  Object.entries(membersOf(body)).flatMap(([name, schema]) => {
    const [path, inner] = [[...above, name], unwrapped(schema)]
    if (isObjectSchema(inner)) return bodyMembers(inner, path).map((one) => ({ ...one, isRequired: one.isRequired && !isOptional(schema) }))
    const isRequired = !isOptional(schema) && !hasDefault(schema)
    return [{ path, schema, description: schema.meta()?.description ?? inner.meta()?.description, isRequired }]
  })

/** Returns the flag of a member: `--placed-at-gte` for `placed_at[gte]`, `--buyer-email` for `email` of `buyer`. */
const flagOf = ({ path }: Pick<Member, 'path'>): string =>
  `--${path
    .join('-')
    .replace(/\[(\w+)\]/g, '-$1')
    .replaceAll('_', '-')}`

/** Returns the option of a member. Its value stays text: the operation checks it, and says what is wrong. */
function memberOption(member: Member): Option {
  const { schema, description = '', isRequired } = member
  const inner = unwrapped(schema)
  const shown = isArray(inner) ? unwrapped(elementOf(inner)) : inner
  const choices = shown instanceof z.ZodEnum ? shown.options.join(', ') : undefined
  const fallback: unknown = hasDefault(schema) ? schema.safeParse(undefined).data : undefined
  const notes = [
    ...(isRequired ? ['required'] : []),
    ...(choices === undefined ? [] : [`one of ${choices}`]),
    ...(fallback === undefined || fallback === null || typeof fallback === 'object' ? [] : [`default: ${String(fallback)}`]),
  ]
  const about = [description, ...(notes.length > 0 ? [`(${notes.join('; ')})`] : [])].join(' ').trim()
  const option = new Option(`${flagOf(member)} <${placeholder(inner)}>`, about)
  return isTextList(inner) ? option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text]) : option
}

function placeholder(schema: z.ZodType): string {
  if (schema instanceof z.ZodBoolean) return 'true|false'
  if (schema instanceof z.ZodNumber) return 'number'
  if (isTextList(schema)) return 'text'
  if (isJson(schema)) return 'json'
  return schema instanceof z.ZodEnum ? 'name' : 'text'
}

const elementOf = ({ element }: z.ZodArray<z.ZodType>): z.ZodType => element

const isJson = (schema: z.ZodType): boolean => isArray(schema) || isRecord(schema) || isUnion(schema) || isObjectSchema(schema)

/** True for a list whose option is repeated: each value is one of its texts. */
const isTextList = (schema: z.ZodType): boolean => isArray(schema) && !isJson(unwrapped(schema.element))

/** Returns the options of a command by the names of their values. */
export const memberOptions = (members: readonly Member[]): Record<string, OptionOf<unknown>> =>
  Object.fromEntries(
    members.map((member) => {
      const option = memberOption(member)
      return [option.attributeName(), { create: () => option }]
    }),
  )

const sentValue = (member: Member, given: object): unknown => new Map(Object.entries(given)).get(memberOption(member).attributeName())

/** Returns the parameters of the query that were given, as text. */
export const queryOf = (members: readonly Member[], given: object): Body =>
  Object.fromEntries(
    members.flatMap((member) => {
      const sent = sentValue(member, given)
      return sent === undefined ? [] : [[member.path[0], Array.isArray(sent) ? sent.join(',') : sent]]
    }),
  )

/** Returns the body that was given: the JSON of `--data`, with the members that have options. */
export function bodyOf(members: readonly Member[], given: object, data: string | undefined): Body {
  return members.reduce<Body>(
    (body, member) => {
      const sent = sentValue(member, given)
      return sent === undefined ? body : withMember(body, member.path, convert(member, sent))
    },
    data === undefined ? {} : Object(jsonOf('--data', data)),
  )
}

function jsonOf(flag: string, text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    throw usage(`${flag} must be JSON`)
  }
}

function convert(member: Member, sent: unknown): unknown {
  const inner = unwrapped(member.schema)
  if (Array.isArray(sent)) {
    const element = isArray(inner) ? elementOf(inner) : inner
    return sent.map((one) => convert({ ...member, schema: element }, one))
  }
  const text = String(sent)
  if (inner instanceof z.ZodNumber) return /^-?\d{1,15}$/.test(text) ? Number(text) : text
  if (inner instanceof z.ZodBoolean) return text === 'true' ? true : text === 'false' ? false : text
  return isJson(inner) ? jsonOf(flagOf(member), text) : text
}

const withMember = (body: Body, [name = '', ...rest]: readonly string[], value: unknown): Body => ({
  ...body,
  [name]: rest.length === 0 ? value : withMember(Object(body[name]), rest, value),
})

/** Returns the options of an example: those of required members, with the examples of their schemas. A change without any has its first member. */
export function exampleOptions(members: readonly Member[], { isPatch }: { isPatch: boolean }): string {
  const required = members.filter(({ isRequired }) => isRequired)
  return (required.length > 0 || !isPatch ? required : members.slice(0, 1))
    .map((member) => {
      const value = exampleValue(member.schema)
      const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
      return ` ${flagOf(member)} ${/^[\w@.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", '’')}'`}`
    })
    .join('')
}
