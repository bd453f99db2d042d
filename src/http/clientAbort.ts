import type { Context } from 'koa'

/**
 * Returns true if a response could not be sent completely because the client closed or reset the connection: an operator can fix nothing.
 * The same codes from the connection to a store are errors, so a reset that was read must come from the client's own connection.
 */
export function isClientAbort(error: Error, ctx: Context | undefined): boolean {
  if (!ctx) return false
  const { code, syscall } = error as NodeJS.ErrnoException
  const { req, res } = ctx
  if (!res.destroyed && !req.socket.destroyed) return false
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return true
  const isReset = code === 'EPIPE' || code === 'ECONNRESET'
  return isReset && (syscall === 'write' || [req.socket, req, res].some(({ errored }) => errored === error))
}
