/** The position of a request in a trace (W3C Trace Context). */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  traceId: string
  /** 16 hexadecimal digits. */
  spanId: string
  isSampled: boolean
}

/** Version, trace id, parent id, flags. Later versions may append members (W3C Trace Context, section 3.2.4). */
const form = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const longestHeader = 128
const sampledFlag = 1

/** Returns the trace that a `traceparent` header names; undefined without a valid one, which counts as absent. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | undefined {
  if (typeof header !== 'string' || header.length > longestHeader) return undefined
  const [, version, traceId, spanId, flags, more] = form.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined
  if (version === '00' && more !== undefined) return undefined
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) === sampledFlag }
}
