import type { Context } from 'koa'

/**
 * Returns true if a response could not be sent completely because the client closed or reset the connection: operators can ignore these
 * errors. Errors with the same codes can come from a store, so the error must belong to the client's connection.
 */
export function isClientAbort(error: Error, ctx: Context | undefined): boolean {
  if (!ctx) return false
  const { code, syscall }: NodeJS.ErrnoException = error
  const { req, res } = ctx
  if (!res.destroyed && !req.socket.destroyed) return false
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return true
  const isReset = code === 'EPIPE' || code === 'ECONNRESET'
  return isReset && (syscall === 'write' || [req.socket, req, res].some(({ errored }) => errored === error))
}
