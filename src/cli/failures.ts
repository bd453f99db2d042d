import { CommanderError } from 'commander'
import { errors } from 'oidc-provider'
import { ConfigError } from '../config/configErrors.ts'
import { Problem, plainAscii } from '../lib/problem.ts'
import { reasonOf as reasonText } from '../lib/reason.ts'

export const exitCodes = { ok: 0, failure: 1, usage: 2 } as const

/** The command was understood and cannot do it. The sentence says the way out. */
export const failure = (sentence: string): CommanderError => new CommanderError(exitCodes.failure, 'schoolgate.failure', sentence)

/** The command was called the wrong way. */
export const usage = (sentence: string): CommanderError => new CommanderError(exitCodes.usage, 'schoolgate.usage', sentence)

export interface Ending {
  exitCode: number
  /** Undefined where everything has been said. */
  sentence?: string
}

/** How a command ends that threw, in words for an operator: never a stack trace. */
export function endingOf(error: unknown): Ending {
  if (error instanceof CommanderError) {
    const isOurs = error.code.startsWith('schoolgate.')
    if (isOurs) return { exitCode: error.exitCode, sentence: error.message }
    // The rest is commander's own, and it has written its words already.
    return { exitCode: error.exitCode === 0 ? exitCodes.ok : exitCodes.usage }
  }
  if (error instanceof ConfigError) return { exitCode: exitCodes.failure, sentence: `the configuration is not right:\n${error.message}` }
  return { exitCode: exitCodes.failure, sentence: reasonOf(error) }
}

/** Why something failed, in one line. */
export function reasonOf(error: unknown): string {
  if (error instanceof Problem) return error.description
  if (error instanceof errors.OIDCProviderError) return error.error_description ?? error.message
  return error instanceof Error ? reasonText(error) : plainAscii(reasonText(error))
}
