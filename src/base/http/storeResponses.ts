import { isAscii } from 'node:buffer'
import type { Context, Middleware } from 'koa'
import { operationOf } from './operationOf.ts'
import { rawHeadersOf } from './rawHeaders.ts'
import type { RequestState } from './requestState.ts'
import type { ResponseTable, StoredResponse } from './responseTable.ts'

/** Headers that belong to one request, and those that depend on whether a body is sent. */
const notStored = new Set(['request-id', 'content-type', 'content-length', 'date', 'connection'])

/**
 * Stores the responses that `serveDocument` allows to be stored, with all headers of the pipeline. A request that changes data of a school
 * drops the responses of the school, so that its caller sees the change in them.
 */
export function storeResponses(table: ResponseTable, changesData: (ctx: Context) => boolean): Middleware<RequestState> {
  return async (ctx, next) => {
    const builtSince = table.moment()
    await next()
    const { school, storable } = ctx.state
    if (storable && (ctx.status === 200 || ctx.status === 304)) {
      const response = storedResponse(ctx, storable, operationOf(ctx))
      if (response) table.put(school.id, ctx.path, response, { freshMilliseconds: storable.freshMilliseconds, builtSince })
    } else if (school && changesData(ctx)) table.clear(school.id)
  }
}

/** Returns the response in the form of the table; undefined if it depends on the caller. */
function storedResponse(
  { res }: Context,
  { document: { body, etag }, contentType }: NonNullable<RequestState['storable']>,
  operation: string,
): StoredResponse | undefined {
  if (res.hasHeader('set-cookie') || res.hasHeader('vary')) return undefined
  const headers = rawHeadersOf(res, notStored)
  return {
    ...{ headers, etag, operation, body },
    contentHeaders: ['Content-Type', contentType, 'Content-Length', String(body.length)],
    ascii: body.length <= maxSingleWrite && isAscii(body) ? body.toString('latin1') : undefined,
  }
}

/** Longer bodies are not copied. */
const maxSingleWrite = 32_768
