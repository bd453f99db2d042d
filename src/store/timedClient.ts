import type { Client } from 'pg'

/** How much longer than the server's own limit the client waits. The server reports a long statement first, so silence means a lost connection. */
const graceMs = 2000
/** How long the statement may take that begins or ends a transaction: it does no work. */
const controlMs = 3000 + graceMs
const controls = /^\s*(begin|start transaction|rollback|savepoint|release)\b/i
const reads = /^\s*select\b/i
/** The statement that sets a limit is shorter: long texts are not searched for it. */
const longestLimit = 500
const limits = /set_config\('statement_timeout', \$1, true\)/

/** The limits of statements in milliseconds: of all, and of those that only read, outside of a transaction. */
export interface StatementLimits {
  limitMs: number
  readMs: number
  /** Called when a connection gave no response in time. */
  onSilent(): void
}

/** The part of pg's connection parameters that limits each statement. It is read when a statement is sent. */
interface Timed {
  connectionParameters: { query_timeout: number | undefined }
}

/**
 * Returns the class of a connection whose statements fail soon after the limit that the server applies to them. Without that, a statement on
 * a connection that the network has dropped without a word would wait for the longest statement of all. A connection that gave no response
 * is closed, because responses that arrive later would be taken for those of later statements.
 */
export function timedClient(base: typeof Client, { limitMs, readMs, onSilent }: StatementLimits): typeof Client {
  class TimedClient extends base {}
  const query = function query(this: Client & Timed, ...sent: unknown[]): unknown {
    const { text, values } = statementOf(sent)
    const parameters = this.connectionParameters
    // The server's limit of a transaction ends with it.
    const isOutside = this.getTransactionStatus() === 'I'
    if (isOutside) parameters.query_timeout = limitMs + graceMs
    const ofTransaction = parameters.query_timeout
    if (controls.test(text)) parameters.query_timeout = controlMs
    else if (isOutside && reads.test(text)) parameters.query_timeout = readMs + graceMs
    const sending: unknown = Reflect.apply(base.prototype.query, this, sent)
    parameters.query_timeout = text.length < longestLimit && limits.test(text) ? millisecondsOf(values[0]) + graceMs : ofTransaction
    if (!(sending instanceof Promise)) return sending
    return sending.catch((error: unknown) => {
      if (error instanceof Error && error.message === 'Query read timeout') {
        onSilent()
        this.connection.stream.destroy()
      }
      throw error
    })
  }
  Object.assign(TimedClient.prototype, { query })
  return TimedClient
}

/** Reads a limit as `limitStatements` writes it: `60s`. */
const millisecondsOf = (limit: unknown): number => Number.parseInt(String(limit), 10) * 1000

function statementOf([statement, values]: unknown[]): { text: string; values: readonly unknown[] } {
  if (typeof statement === 'string') return { text: statement, values: Array.isArray(values) ? values : [] }
  if (typeof statement !== 'object' || statement === null || !('text' in statement)) return { text: '', values: [] }
  const own = 'values' in statement && Array.isArray(statement.values) ? statement.values : undefined
  return { text: String(statement.text), values: own ?? (Array.isArray(values) ? values : []) }
}
