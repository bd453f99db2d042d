import { type DestinationStream, type Logger, pino } from 'pino'
import { logMembers, logMessage } from './logMembers.ts'

/** The members of the line that is written for each request. None of them contains a secret. */
export interface RequestLine {
  request_id: string
  school: string | undefined
  /** The id of the operation, the template of a page's path, or a group such as `document`. */
  operation: string
  method: string
  path: string
  status: number
  error: string | undefined
  limit: string | undefined
  milliseconds: number
  client_id: string | undefined
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
  log.on('level-change', (changed) => {
    requests.level = changed
  })
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

/** Returns a function that writes the `time` of a log line (ISO 8601, UTC) as pino expects it. It computes the text of a second once. */
export function createLogTime(): (now?: number) => string {
  let second = Number.NaN
  let text = ''
  return (now = Date.now()) => {
    const ofNow = Math.floor(now / 1000)
    if (ofNow !== second) {
      second = ofNow
      text = new Date(ofNow * 1000).toISOString().slice(0, -4)
    }
    return `,"time":"${text}${String(now - ofNow * 1000).padStart(3, '0')}Z"`
  }
}
