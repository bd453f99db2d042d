import { type DestinationStream, type Logger, pino } from 'pino'
import { logMembers, logMessage } from './logMembers.ts'
import { createLogTime } from './logTime.ts'

/** The members of the line that is written for each request. None of them contains a secret. */
export interface RequestLine {
  request_id: string
  school: string | undefined
  /** The id of the operation, the template of a page's path, or a group such as `document`. */
  operation: string
  method: string
  path: string
  status: number
  /** The code of the problem that the response reports. */
  error: string | undefined
  /** The rate limit that refused the request. */
  limit: string | undefined
  milliseconds: number
  client_id: string | undefined
  /** The opaque id of the person, as in the API. */
  account_id: string | undefined
  address: string
  user_agent: string | undefined
  client_request_id: string | undefined
  /** The trace of the request, and its span; without traces the span of the caller. */
  trace_id: string | undefined
  span_id: string | undefined
}

export interface Log extends Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level' | 'isLevelEnabled'> {
  /** Writes the line of a request, without searching its members for secrets. */
  request(line: RequestLine): void
}

/** Where the lines of a log go, if those of requests are written in another way. */
export interface LogStreams {
  immediately: DestinationStream
  /** For the lines of requests. */
  together: DestinationStream
}

/**
 * Creates a structured log with one JSON object per line, on standard output by default. Removes token values, codes, secrets and cookies
 * from each line.
 */
export function createLog(level: string, destination: DestinationStream | LogStreams = standardOutput()): Log {
  // The members are complete: the serializer of pino for errors would add to them.
  const common = { level, base: null, timestamp: createLogTime(), serializers: { err: (shownError: unknown) => shownError } }
  const { immediately, together } = 'write' in destination ? { immediately: destination, together: destination } : destination
  const log = pino({ ...common, hooks: { logMethod: (given, write) => write.apply(log, shown(given)) } }, immediately)
  const requests = pino(common, together)
  return Object.assign(log, { request: (line: RequestLine) => requests.info(line, 'request') })
}

/** Returns the members and the message of a line, without secrets and of limited size. */
function shown(given: unknown[]): [message: string] | [members: object, message?: string] {
  const [first, message] = given
  if (typeof first !== 'object' || first === null) return [logMessage(String(first))]
  return typeof message === 'string' ? [logMembers(first), logMessage(message)] : [logMembers(first)]
}

/** Writes each line to standard output before it returns. */
export const standardOutput = (): DestinationStream => pino.destination({ fd: 1, sync: true })
