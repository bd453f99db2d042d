import { CommanderError } from 'commander'
import { errors } from 'oidc-provider'
import { reasonOf as reasonText } from '../../base/log/reason.ts'
import { Problem, plainAscii } from '../../base/problem.ts'
import { ConfigError } from '../../config/configErrors.ts'

export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const

/** Creates the error of a valid command that cannot be completed. The sentence includes the fix. */
export const failure = (sentence: string): CommanderError => new CommanderError(exitCodes.failure, 'schoolgate.failure', sentence)

export const usage = (sentence: string): CommanderError => new CommanderError(exitCodes.usage, 'schoolgate.usage', sentence)

/** Returns the errors of a rejected operation in one line: invalid input is 2, what the school's state does not allow is 1. */
export function explained({ status, description, details }: Problem): CommanderError {
  const sentence = details.length === 0 ? description : details.map(({ message }) => message).join('; ')
  return status === 422 || status === 400 ? usage(sentence) : failure(sentence)
}

/** Creates what ends a command that has printed its result elsewhere. */
export const ended = (exitCode: number): CommanderError => new CommanderError(exitCode, 'schoolgate.ended', '')

export interface Ending {
  exitCode: number
  /** Undefined if the message has already been printed. */
  sentence?: string
}

/** Converts an error to the exit code and a message for the operator, without a stack trace. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) {
    const isOurs = error.code.startsWith('schoolgate.')
    if (isOurs) return { exitCode: error.exitCode, sentence: error.message }
    // Commander has already printed its own errors.
    return { exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage }
  }
  if (error instanceof ConfigError) return { exitCode: exitCodes.failure, sentence: `the configuration is invalid:\n${error.message}` }
  return { exitCode: exitCodes.failure, sentence: reasonOf(error) }
}

export function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.description
  if (error instanceof errors.OIDCProviderError) return error.error_description ?? error.message
  return error instanceof Error ? reasonText(error) : plainAscii(reasonText(error))
}
