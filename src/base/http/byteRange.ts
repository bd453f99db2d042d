/** A range of a representation; both ends are included. */
export interface ByteRange {
  first: number
  last: number
}

/**
 * Parses `Range` for a representation of this size (RFC 9110 section 14.1.2): one range, the whole, or not satisfiable. An unknown format
 * and multiple ranges are ignored: the whole is a valid response to both (section 14.2).
 */
export function readRange(header: string, bytes: number): ByteRange | 'whole' | 'unsatisfiable' {
  const [, first = '', last = ''] = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(header) ?? []
  if (first === '' && last === '') return 'whole'
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : { first: Math.max(0, bytes - Number(last)), last: bytes - 1 }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) >= bytes) return 'unsatisfiable'
  return { first: Number(first), last: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}
