import { errorCode } from './errorCode.ts'

/** Returns the reason of a failure in one line: the message of an error, or its code. */
export function reasonOf(error: unknown): string {
  // A connection that fails on every address of a host has an empty message (AggregateError of node:net).
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0])
  const text = error instanceof Error ? error.message || (errorCode(error) ?? error.name) : String(error)
  return text.replace(/\s+/g, ' ').trim()
}
