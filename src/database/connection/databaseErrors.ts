import { errorCode } from '../../base/log/errorCode.ts'

/** A constraint violation, as far as it can be reported to a caller. */
export interface Violation {
  kind: 'unique' | 'reference' | 'timeout' | 'deadlock' | 'value'
  constraint: string
}

// PostgreSQL, appendix A. The embedded database speaks the same codes.
const kinds: Readonly<Record<string, Violation['kind']>> = {
  23505: 'unique',
  23503: 'reference',
  23001: 'reference',
  57014: 'timeout',
  '55P03': 'timeout',
  '40P01': 'deadlock',
  40001: 'deadlock',
  22003: 'value',
  22021: 'value',
  '22P05': 'value',
  23514: 'value',
}

export function violationOf(error: unknown): Violation | undefined {
  if (!(error instanceof Error)) return undefined
  const code = errorCode(error)
  const kind = code === undefined ? undefined : kinds[code]
  return kind && { kind, constraint: 'constraint' in error && typeof error.constraint === 'string' ? error.constraint : '' }
}
