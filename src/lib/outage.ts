/** What sockets say (Node), and what PostgreSQL says while it starts, stops or is full (SQLSTATE classes 08 and 57P, 53300). */
const codes = /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1-5]|53300)$/
/** The database client names no code where a connection ends under a statement, or none can be had in time. */
const words = /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout)/

/** Whether an error says that a store could not be reached: it is about the connection, and the same request may succeed a moment later. */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as Error & { code?: unknown }
  if (typeof code === 'string' ? codes.test(code) : words.test(error.message)) return true
  return error instanceof AggregateError ? error.errors.some(isOutage) : isOutage(error.cause)
}
