import { createLog } from '../../base/log/log.ts'
import { reasonOf } from '../../base/log/reason.ts'
import { isConfigError } from '../../config/configErrors.ts'

/** Returns the reason why the service cannot start or reload its configuration. */
export function failureText(error: unknown): string {
  if (isConfigError(error)) return `The configuration is invalid:\n${error.message}`
  return reasonOf(error)
}

/** Reports that the service cannot start: text for a terminal, else one JSON line like those of the log. */
export function startFailure(error: unknown, { isTerminal }: { isTerminal: boolean }): string {
  if (isTerminal) return isConfigError(error) ? `${failureText(error)}\n` : `Schoolgate cannot start: ${failureText(error)}\n`
  let line = ''
  const log = createLog('fatal', {
    write(text) {
      line = text
    },
  })
  const issues = isConfigError(error) ? { issues: error.issues } : {}
  log.fatal({ reason: failureText(error), ...issues }, 'cannot start')
  return line
}
