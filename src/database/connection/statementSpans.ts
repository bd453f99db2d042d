import { inChildSpan, type SpanStart, type Tracing } from '../../base/log/tracing.ts'

const firstWord = /^\s*([a-z]+)/i
/** Texts, brackets, and the tables that the statement reads or writes. Kysely quotes them. */
const pieces = /'(?:[^']|'')*'|[()]|\b(?:from|into|update)\s+"?([a-z_]+)"?(?=[\s(;]|$)/gi
const maxKept = 1000

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

/** Returns the span of a statement: its first word and its table, without the text and its values. */
export function statementSpan(text: string): SpanStart {
  const operation = (firstWord.exec(text)?.[1] ?? 'statement').toUpperCase()
  const table = mainTable(text)
  return {
    name: table === undefined ? operation : `${operation} ${table}`,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql', 'db.operation.name': operation, 'db.collection.name': table },
  }
}

export type TraceStatement = <Result>(text: string, run: () => Promise<Result>) => Promise<Result>

export function traceStatements(tracing: Tracing | undefined): TraceStatement {
  const known = new Map<string, SpanStart>()
  const spanOf = (text: string): SpanStart => {
    const found = known.get(text)
    if (found) return found
    if (known.size >= maxKept) known.clear()
    const described = statementSpan(text)
    known.set(text, described)
    return described
  }
  return (text, run) => inChildSpan(tracing, () => spanOf(text), run)
}
