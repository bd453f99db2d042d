import { errors } from 'oidc-provider'
import { createLog, type Log } from '../../base/log/log.ts'
import { failure, reasonOf } from './failures.ts'

/** A log without output that remembers why a store failed, for the error message of the command. */
export type ReasonLog = Log & { explain(error: unknown): unknown }

export function createReasonLog(): ReasonLog {
  let reason: string | undefined
  const log = createLog('error', {
    write(line) {
      reason = JSON.parse(line).err?.message
    },
  })
  return Object.assign(log, {
    explain: (error: unknown) =>
      error instanceof errors.OIDCProviderError && reason !== undefined ? failure(`${reasonOf(error)} (${reason})`) : error,
  })
}
