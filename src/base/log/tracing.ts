import { errorCode } from './errorCode.ts'
import type { TraceContext } from './traceContext.ts'

/** Values of a span. Never pass a token, a query, an address of a person, or a value of a statement: others read the traces. */
export type SpanAttributes = Record<string, string | number | undefined>

export interface SpanStart {
  /** One of few: without ids. */
  name: string
  /** `server`: a request to this service; `client`: a request to another; `internal`: a background job. */
  kind: 'server' | 'client' | 'internal'
  attributes?: SpanAttributes
}

export interface Span extends TraceContext {
  rename(name: string): void
  set(attributes: SpanAttributes): void
  /** Marks the span as failed. `type` is a code, such as `ECONNREFUSED`. */
  fail(type: string): void
  end(): void
}

/** Records spans. A service without traces has none: every part takes it as an optional argument. */
export interface Tracing {
  /** Returns the span of the running code. */
  current(): Span | undefined
  /** Starts a span below `parent`; without it, the first span of a trace. */
  start(start: SpanStart, parent?: TraceContext): Span
  /** Runs work as a part of the span; of none if it is undefined. */
  within<Result>(span: Span | undefined, work: () => Result): Result
  /** Sends what is waiting, for at most a few seconds, and ends. */
  shutdown(): Promise<void>
}

/** Runs work in a span below the current one. Without a recorded current span, the work runs without a span. */
export function inChildSpan<Result>(tracing: Tracing | undefined, start: () => SpanStart, work: () => Promise<Result>): Promise<Result> {
  const parent = tracing?.current()
  return tracing && parent?.isSampled ? inSpan(tracing, tracing.start(start(), parent), work) : work()
}

/** Runs work that no request waits for in the first span of a trace. */
export function inRootSpan<Result>(tracing: Tracing | undefined, start: SpanStart, work: () => Promise<Result>): Promise<Result> {
  return tracing ? inSpan(tracing, tracing.start(start), work) : work()
}

async function inSpan<Result>(tracing: Tracing, span: Span, work: () => Promise<Result>): Promise<Result> {
  try {
    return await tracing.within(span, work)
  } catch (error) {
    span.fail(failureType(error))
    throw error
  } finally {
    span.end()
  }
}

/** Codes and names of errors. Messages can contain values. */
const safeType = /^\w{1,40}$/

function failureType(error: unknown): string {
  const type = errorCode(error) ?? (error instanceof Error ? error.name : '')
  return safeType.test(type) ? type : 'error'
}
