import type { Context } from 'koa'
import { readBody } from '../http/body.ts'
import { Problem } from '../lib/problem.ts'

const maxBytes = 1_048_576
const maxDepth = 20

/**
 * The parsed body; undefined where there is none.
 * @throws Problem unsupported_media_type, payload_too_large, invalid_json
 */
export async function readJsonBody(ctx: Context, takesMergePatch: boolean): Promise<unknown> {
  const bytes = await readBody(ctx, maxBytes)
  const types = ['application/json', ...(takesMergePatch ? ['application/merge-patch+json'] : [])]
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
