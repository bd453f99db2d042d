import { type DestinationStream, type Logger, pino } from 'pino'

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'child' | 'level'>

/** Members that never reach a log line, wherever they stand. */
const secret = [
  'access_token', 'refresh_token', 'id_token', 'id_token_hint', 'token', 'code', 'code_verifier', 'client_secret', 'password',
  'authorization', 'cookie', 'set-cookie', 'login_hint', 'state', 'secret',
]

/** Structured log, one JSON object a line. Token values, codes, secrets and cookies are removed before a line is written. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const paths = secret.flatMap((name) => [name, `*.${name}`, `*.*.${name}`].map((path) => path.replace(/(^|\.)set-cookie$/, '["set-cookie"]').replace('.[', '[')))
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime, redact: { paths, censor: '[removed]' } }, destination as DestinationStream)
}
