import { createLog, type Log, standardOutput } from '../../base/log/log.ts'
import { prettyLog } from '../../base/log/prettyLog.ts'
import { linesOfTurn } from '../../base/process/linesOfTurn.ts'
import type { Environment } from '../../config/environment.ts'

export interface Output {
  write(text: string): unknown
  isTTY?: boolean
}

export const isPretty = (format: Environment['LOG_FORMAT'], { isTTY }: Output): boolean =>
  format === 'auto' ? isTTY === true : format === 'pretty'

export interface LogProcess {
  env: { NO_COLOR?: string | undefined }
  stdout: Output
  on(event: 'exit', listener: () => void): unknown
}

/**
 * Opens the log of the service. On a terminal it contains warnings and errors only, unless LOG_LEVEL is set, so that the welcome text with
 * the demo password stays in view. As JSON, the lines of requests are written once per turn of the event loop.
 */
export async function openLog({ LOG_FORMAT, LOG_LEVEL }: Pick<Environment, 'LOG_FORMAT' | 'LOG_LEVEL'>, self: LogProcess): Promise<Log> {
  if (isPretty(LOG_FORMAT, self.stdout))
    return createLog(LOG_LEVEL ?? 'warn', await prettyLog(self.stdout, { isColoured: self.stdout.isTTY === true && !self.env.NO_COLOR }))
  const lines = linesOfTurn(standardOutput())
  self.on('exit', lines.flush)
  return createLog(LOG_LEVEL ?? 'info', lines)
}
