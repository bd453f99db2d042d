import type { Context } from 'koa'
import { Problem } from '../problem.ts'
import { readBody } from './readBody.ts'

/**
 * Returns the text of a CSV body; undefined if the body has another media type.
 * @throws Problem payload_too_large, invalid_request if the bytes are not UTF-8
 */
export async function readCsv(ctx: Context, maxBytes: number): Promise<string | undefined> {
  if (!ctx.is('text/csv')) return undefined
  const bytes = await readBody(ctx, maxBytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Problem('invalid_request', { description: 'The CSV file is not UTF-8. In Excel, save it as "CSV UTF-8".', cause })
  }
}
