import type { Environment } from '../config/environment.ts'
import { createLog, type Log } from '../lib/log.ts'
import { prettyLog } from '../lib/prettyLog.ts'

/** Standard output, as far as the log and the welcome text use it. */
export interface Output {
  write(text: string): unknown
  isTTY?: boolean
}

/** Returns true if the log is formatted for people. */
export const isPretty = (format: Environment['LOG_FORMAT'], { isTTY }: Output): boolean =>
  format === 'auto' ? isTTY === true : format === 'pretty'

/**
 * Opens the log of the service. On a terminal it contains warnings and errors only, unless LOG_LEVEL is set, so that the welcome text with
 * the demo password stays in view.
 */
export async function openLog(
  { LOG_FORMAT, LOG_LEVEL }: Pick<Environment, 'LOG_FORMAT' | 'LOG_LEVEL'>,
  output: Output,
  { NO_COLOR }: { NO_COLOR?: string | undefined } = {},
): Promise<Log> {
  if (!isPretty(LOG_FORMAT, output)) return createLog(LOG_LEVEL ?? 'info')
  return createLog(LOG_LEVEL ?? 'warn', await prettyLog(output, { isColoured: output.isTTY === true && !NO_COLOR }))
}
