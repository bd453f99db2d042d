import type { Context } from 'koa'
import { Problem } from '../lib/problem.ts'
import { readBody } from './body.ts'

export interface JsonBodyRules {
  /** Media types that the body may have. */
  types: readonly string[]
  maxBytes: number
  maxDepth: number
}

/**
 * The parsed body; undefined where there is none.
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
  if (isDeeper(parsed, maxDepth)) throw new Problem('invalid_json', { description: `The body is nested deeper than ${maxDepth} levels.` })
  return parsed
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw new Problem('invalid_json', { description: 'The body is not JSON in UTF-8.', cause })
  }
}

function isDeeper(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1))
}
