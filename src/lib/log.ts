import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'>

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

/** Creates a structured log with one JSON object per line. Removes token values, codes, secrets and cookies from each line. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const clean = (members: Record<string, unknown>): Record<string, unknown> => withoutSecrets(members, 0) as Record<string, unknown>
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { log: clean },
  }
  return pino(options, destination as DestinationStream)
}

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
