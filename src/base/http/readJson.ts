import type { Context } from 'koa'
import { Problem } from '../problem.ts'
import { DuplicateMember, parseJson } from '../text/parseJson.ts'
import { readBody } from './readBody.ts'

export interface JsonBodyRules {
  types: readonly string[]
  maxBytes: number
  maxDepth: number
}

/**
 * Reads and parses a JSON body; returns undefined if there is none. koa-body cannot reject invalid UTF-8 and has no limits of depth, of
 * values and of members, so the bytes are read here.
 * @throws Problem unsupported_media_type, payload_too_large, invalid_json
 */
export async function readJson(ctx: Context, { types, maxBytes, maxDepth }: JsonBodyRules): Promise<unknown> {
  const bytes = await readBody(ctx, maxBytes)
  const type = ctx.get('content-type').split(';')[0]?.trim().toLowerCase() ?? ''
  if (bytes.length === 0 && (type === '' || types.includes(type))) return undefined
  if (!types.includes(type)) {
    throw new Problem('unsupported_media_type', {
      description: `The Content-Type of a body is ${types.join(' or ')}.`,
      headers: { Accept: types.join(', ') },
    })
  }
  const parsed = parse(bytes)
  requireBounded(parsed, maxDepth)
  return parsed
}

/** Limits of every JSON body, in addition to its size and depth. No operation takes an object or a name that comes near them. */
const jsonLimits = {
  values: 50_000,
  members: 200,
  nameLength: 200,
} as const

/** @throws Problem invalid_json, payload_too_large */
function requireBounded(body: unknown, maxDepth: number): void {
  let values = 0
  const visit = (value: unknown, depth: number): void => {
    values += 1
    if (values > jsonLimits.values) throw tooMuch(`must have at most ${jsonLimits.values} values. Send it in parts.`)
    if (typeof value !== 'object' || value === null) return
    if (depth === 0) throw new Problem('invalid_json', { description: `The body must be nested at most ${maxDepth} levels deep.` })
    if (Array.isArray(value)) {
      for (const one of value) visit(one, depth - 1)
      return
    }
    const members = Object.entries(value)
    if (members.length > jsonLimits.members) {
      throw tooMuch(
        `must have at most ${jsonLimits.members} members in one object, has ${members.length}. Remove members that the API does not define.`,
      )
    }
    for (const [name, inner] of members) {
      if (name.length > jsonLimits.nameLength)
        throw tooMuch(`must have names of at most ${jsonLimits.nameLength} characters. Shorten them.`)
      visit(inner, depth - 1)
    }
  }
  visit(body, maxDepth)
}

const tooMuch = (rule: string): Problem => new Problem('payload_too_large', { description: `The body ${rule}` })

function parse(bytes: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    const description = cause instanceof DuplicateMember ? cause.message : 'The body is not JSON in UTF-8.'
    throw new Problem('invalid_json', { description, cause })
  }
}
