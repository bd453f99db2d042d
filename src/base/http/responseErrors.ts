import type { Context } from 'koa'
import { errorCode } from '../log/errorCode.ts'
import type { Log } from '../log/log.ts'
import { requestIds } from './requestIds.ts'

/**
 * Returns the listener of Koa's errors: what no middleware has handled, and errors of the connection. Strangers cause the latter with every
 * request that they cut off or that is not HTTP, so these lines are for debugging only.
 */
export const logResponseErrors =
  (log: Log) =>
  (error: Error, ctx?: Context): void => {
    const ids = requestIds(ctx?.state)
    const code = errorCode(error)
    if (isClientAbort(error, ctx)) log.debug(ids, 'client closed the connection')
    // Codes of the parser of Node.
    else if (code?.startsWith('HPE_')) log.debug({ reason: code, ...ids }, 'request is not valid HTTP')
    else log.error({ err: error, ...ids }, 'response failed')
  }

/**
 * Returns true if a response could not be sent completely because the client closed or reset the connection: operators can ignore these
 * errors. Errors with the same codes can come from a store, so the error must belong to the client's connection.
 */
function isClientAbort(error: Error, ctx: Context | undefined): boolean {
  if (!ctx) return false
  const { code, syscall }: NodeJS.ErrnoException = error
  const { req, res } = ctx
  if (!res.destroyed && !req.socket.destroyed) return false
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return true
  const isReset = code === 'EPIPE' || code === 'ECONNRESET'
  return isReset && (syscall === 'write' || [req.socket, req, res].some(({ errored }) => errored === error))
}
