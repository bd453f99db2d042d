import { type DestinationStream, type Logger, pino } from 'pino'
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

/** Names of members that are removed from log lines, at every depth and in every spelling. */
const secret = [
  'access_token',
  'refresh_token',
  'id_token',
  'id_token_hint',
  'token',
  'code',
  'code_verifier',
  'client_secret',
  'password',
  'authorization',
  'cookie',
  'set-cookie',
  'login_hint',
  'state',
  'secret',
]
const secretNames = new Set(secret.map(plain))
const removed = '[removed]'
const deepest = 8
/** Error codes of libraries, such as `ECONNREFUSED` and `23505`. Authorization codes never match. */
const errorCode = /^[A-Z0-9_]{2,30}$/

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
  const clean = (members: Record<string, unknown>): Record<string, unknown> => withoutSecrets(members, 0) as Record<string, unknown>
  const common = { level, base: null, timestamp: createLogTime() }
  const { immediately, together } = 'write' in destination ? { immediately: destination, together: destination } : destination
  const log = pino({ ...common, formatters: { log: clean } }, immediately)
  const requests = pino(common, together)
  return Object.assign(log, { request: (line: RequestLine) => requests.info(line, 'request') })
}

/** Writes each line to standard output before it returns. */
export const standardOutput = (): DestinationStream => pino.destination({ fd: 1, sync: true })

function withoutSecrets(value: unknown, depth: number): unknown {
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  if (depth > deepest) return '[deeper]'
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1))
  const isError = value instanceof Error
  const members = Object.entries(isError ? pino.stdSerializers.err(value) : value)
  const keep = (name: string, member: unknown): boolean =>
    !secretNames.has(plain(name)) || (isError && name === 'code' && errorCode.test(String(member)))
  return Object.fromEntries(members.map(([name, member]) => [name, keep(name, member) ? withoutSecrets(member, depth + 1) : removed]))
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '')
}
