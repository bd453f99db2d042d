import type { Context } from 'koa'
import { readJson } from '../../base/http/readJson.ts'

/**
 * Returns the parsed JSON body; undefined if the request has none.
 * @throws Problem unsupported_media_type, payload_too_large, invalid_json
 */
export const readJsonBody = (ctx: Context, takesMergePatch: boolean): Promise<unknown> =>
  readJson(ctx, {
    types: ['application/json', ...(takesMergePatch ? ['application/merge-patch+json'] : [])],
    maxBytes: 1_048_576,
    maxDepth: 20,
  })
