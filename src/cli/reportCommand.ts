import { Option } from 'commander'
import { z } from 'zod'
import { hasDefault, isArray, isObjectSchema, isOptional, isRecord, membersOf, unwrapped } from '../framework/declare/schemas.ts'
import { isObject } from '../lib/jsonValue.ts'
import { parseJson } from '../lib/parseJson.ts'
import { platformOperation } from '../platform/platformOperations.ts'
import {
  type AddCommand,
  type CommandSession,
  command,
  type Declaration,
  dryRunOption,
  type OptionOf,
  referenceOption,
  required,
  schoolOption,
} from './command.ts'
import { usage } from './failures.ts'
import { report } from './report.ts'

type Body = Record<string, unknown>

/** A command that carries out an operation of the platform intake. Its options are the members of the body of the operation. */
export interface ReportCommand extends Pick<Declaration<string, never>, 'name' | 'summary' | 'examples'> {
  operation: string
  /** Describes the argument for the parameter of the path: `an order number such as 2026-000512`. */
  parameter?: string
  /** Names of arguments, and of options that are not called like their member: `buyer.email` is `buyer`, `parent_id` is `reply-to`. */
  names?: Readonly<Record<string, string>>
  /** Converts texts of members that are neither texts, numbers nor JSON. */
  parse?: Readonly<Record<string, (text: string) => unknown>>
  /** The member that is read from the standard input if its option is absent. */
  fromInput?: string
  /** Required members that `complete` adds if they are absent. */
  defaults?: readonly string[]
  isReferenceRequired?: true
  /** True if it removes or ends something. */
  isRemoval?: true
  complete?(body: Body, session: CommandSession, parameter: string): Promise<Body>
  print(response: Body): string
}

export function reportCommand({ operation: id, names = {}, parse = {}, ...rest }: ReportCommand): AddCommand {
  const operation = platformOperation(id)
  const places = [...rest.name.matchAll(/<([\w-]+)>/g)].map(([, place = '']) => place)
  const { school: _school, reference: _reference, ...shape } = operation.input.shape
  const members = membersIn(shape).map(({ path, schema }) => {
    const key = path.join('.')
    const name = names[key] ?? path.join('-').replaceAll('_', '-')
    const attribute = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
    return { path, schema, key, name, attribute, place: places.indexOf(name) }
  })
  const options: Record<string, OptionOf<unknown>> = Object.fromEntries(
    members
      .filter(({ place }) => place < 0)
      .map(({ key, attribute, schema }) => {
        const isNeeded = !isOptional(schema) && !hasDefault(schema) && key !== rest.fromInput && !rest.defaults?.includes(key)
        return [attribute, { create: (long: string) => optionOf(long, schema, { isNeeded, isParsed: key in parse }) }]
      }),
  )
  const { reference } = referenceOption
  return command({
    ...rest,
    options: {
      ...schoolOption,
      ...(rest.isRemoval && dryRunOption),
      reference: rest.isReferenceRequired ? required(reference) : reference,
      ...options,
    },
    async run(session, given: Body & { reference?: string | undefined }, ...args: string[]) {
      const parameter = (operation.parameter && args[places.indexOf(operation.parameter.name)]) ?? ''
      if (operation.parameter && !operation.parameter.form.test(parameter)) throw usage(`${parameter} is not ${rest.parameter}`)
      const body: Body = {}
      for (const { path, schema, key, name, attribute, place } of members) {
        const sent = place < 0 ? given[attribute] : args[place]
        const text = sent ?? (key === rest.fromInput ? await session.terminal.readInput() : undefined)
        if (text === undefined) continue
        const convert = parse[key] ?? ((one: string) => converted(schema, one, place < 0 ? `--${name}` : name))
        const value = typeof text === 'string' ? convert(text) : Array.isArray(text) ? text.map(convert) : text
        assign(body, path, value)
      }
      const complete = rest.complete ? await rest.complete(body, session, parameter) : body
      session.terminal.out(`${rest.print(await report(session, id, { reference: given.reference, parameter, body: complete }))}\n`)
    },
  })
}

/** Returns the members of a body; those of a person and of a contact one by one. */
function membersIn(shape: z.ZodRawShape): { path: readonly string[]; schema: z.ZodType }[] {
  return Object.entries(membersOf({ shape })).flatMap(([name, schema]) => {
    const inner = unwrapped(schema)
    if (!isObjectSchema(inner) || !('email' in inner.shape)) return [{ path: [name], schema }]
    return Object.entries(membersOf(inner)).map(([member, of]) => ({
      path: [name, member],
      schema: isOptional(schema) && !isOptional(of) ? of.optional() : of,
    }))
  })
}

function optionOf(long: string, schema: z.ZodType, { isNeeded, isParsed }: { isNeeded: boolean; isParsed: boolean }): Option {
  const inner = unwrapped(schema)
  const sentence = schema.meta()?.description ?? inner.meta()?.description ?? long
  const about = sentence
    .replace(/^True if/, 'if')
    .replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase())
    .replace(/\.$/, '')
  if (inner instanceof z.ZodBoolean) return new Option(long, about)
  const isRepeated = isArray(inner) && isParsed
  const value = isRepeated ? 'id' : inner instanceof z.ZodNumber ? 'number' : isJson(inner) ? 'json' : 'text'
  const option = new Option(`${long} <${inner instanceof z.ZodEnum ? 'name' : value}>`, isRepeated ? `${about} (repeatable)` : about)
  if (inner instanceof z.ZodEnum) option.choices(inner.options.map(String))
  if (isRepeated) option.argParser((text: string, before: string[] | undefined) => [...(before ?? []), text])
  return option.makeOptionMandatory(isNeeded)
}

const isJson = (schema: z.ZodType): boolean => isArray(schema) || isObjectSchema(schema) || isRecord(schema)

function converted(schema: z.ZodType, text: string, name: string): unknown {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodNumber) {
    if (/^\d{1,11}$/.test(text)) return Number(text)
    throw usage(`${name} must be a whole number`)
  }
  if (!isJson(inner)) return text
  const [isWanted, wanted] = isArray(inner) ? [Array.isArray, 'array'] : [isObject, 'object']
  try {
    const value = parseJson(text)
    if (isWanted(value)) return value
  } catch {
    // The same message as for JSON of another type.
  }
  throw usage(`${name} must be a JSON ${wanted}`)
}

function assign(body: Body, [name = '', inner]: readonly string[], value: unknown): void {
  body[name] = inner === undefined ? value : { ...Object(body[name]), [inner]: value }
}
