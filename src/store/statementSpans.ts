import type { Client } from 'pg'
import { inChildSpan, type SpanStart, type Tracing } from '../lib/tracing.ts'
import { overrideQuery } from './overrideQuery.ts'

const firstWord = /^\s*([a-z]+)/i
/** Texts, brackets, and the tables that the statement reads or writes. Kysely quotes them. */
const pieces = /'(?:[^']|'')*'|[()]|\b(?:from|into|update)\s+"?([a-z_]+)"?(?=[\s(;]|$)/gi
const mostKept = 1000

/** Returns the first table of a statement outside of its subqueries. */
function mainTable(text: string): string | undefined {
  let depth = 0
  for (const [piece, table] of text.matchAll(pieces)) {
    if (piece === '(') depth += 1
    else if (piece === ')') depth -= 1
    else if (table !== undefined && depth === 0) return table
  }
  return undefined
}

function describe(text: string): SpanStart {
  const operation = (firstWord.exec(text)?.[1] ?? 'statement').toUpperCase()
  const table = mainTable(text)
  return {
    name: table === undefined ? operation : `${operation} ${table}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.collection.name': table },
  }
}

/** Returns a function that names the span of a statement by its first word and its table, without the text and its values. */
export function createStatementSpans(): (text: string) => SpanStart {
  const known = new Map<string, SpanStart>()
  return (text) => {
    const found = known.get(text)
    if (found) return found
    if (known.size >= mostKept) known.clear()
    const described = describe(text)
    known.set(text, described)
    return described
  }
}

/** Returns the class of a connection whose statements are spans of the running trace. */
export function tracingClient(base: typeof Client, tracing: Tracing | undefined): typeof Client {
  if (!tracing) return base
  const statementSpan = createStatementSpans()
  class TracingClient extends base {}
  overrideQuery(
    TracingClient,
    (send) =>
      function query(...sent) {
        const text = promisedText(sent)
        if (text === undefined) return send.apply(this, sent)
        return inChildSpan(
          tracing,
          () => statementSpan(text),
          async () => send.apply(this, sent),
        )
      },
  )
  return TracingClient
}

/** Returns the text of a statement whose result is a promise; undefined for streams and callbacks. */
function promisedText([statement, ...rest]: unknown[]): string | undefined {
  if (rest.some((one) => typeof one === 'function')) return undefined
  if (typeof statement === 'string') return statement
  if (typeof statement !== 'object' || statement === null || 'submit' in statement || 'callback' in statement) return undefined
  return 'text' in statement ? String(statement.text) : undefined
}
