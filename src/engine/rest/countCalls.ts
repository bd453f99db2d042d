import type { Context } from 'koa'
import { Problem } from '../../base/problem.ts'
import { isObject } from '../../base/text/jsonValue.ts'
import type { ApiResponse } from '../call.ts'

/** Counts one call with a token of a grant. `rows` is undefined if it was answered with an error of the client. */
export type CountCall = (call: { schoolId: string; grantId: string; operation: string; rows: number | undefined }) => void

/** Returns the response of `work`, and counts the call if its token has a live grant. A stream is counted when it ends. */
export async function counted(ctx: Context, count: CountCall, work: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const add = (rows: number | undefined): void => {
    const { grantId, operation, school } = ctx.state
    if (grantId !== undefined && operation !== undefined) count({ schoolId: school.id, grantId, operation, rows })
  }
  try {
    const response = await work()
    const { stream } = response
    if (!stream || ctx.method === 'HEAD') add(stream ? 0 : rowsIn(response))
    else return { ...response, stream: { ...stream, pieces: untilEnd(stream.pieces, () => add(stream.rows())) } }
    return response
  } catch (error) {
    if (error instanceof Problem && error.status < 500) add(undefined)
    throw error
  }
}

async function* untilEnd(pieces: AsyncIterable<string>, end: () => void): AsyncGenerator<string> {
  try {
    yield* pieces
  } finally {
    end()
  }
}

function rowsIn({ rows, body, text }: ApiResponse): number {
  if (rows !== undefined) return rows
  if (Array.isArray(body.data)) return body.data.length
  const { summary } = body
  if (isObject(summary) && typeof summary.succeeded === 'number') return summary.succeeded
  return text === '' ? 0 : 1
}
