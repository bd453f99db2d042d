import { isObject } from '../../../base/text/jsonValue.ts'

/** A message of the service while a command runs, one JSON object per line. */
export type Frame =
  | { out: string }
  | { err: string }
  /** Asks for one line, with or without an echo. */
  | { ask: number; question: string; isSecret: boolean }
  /** Asks for the whole standard input. */
  | { input: number }
  /** Begins, continues and ends a file below the directory that the operator named. `ask` is answered when the file is complete. */
  | { file: string }
  | { bytes: string }
  | { fileEnd: number }
  | { exit: number }

export interface CommandRequest {
  args: string[]
  operator: string
  isInteractive: boolean
}

/** The body of an answer. `error` says why the question was not answered. */
export interface CommandAnswer {
  ask: number
  answer?: string
  error?: string
}

export const commandLimits = { bytes: 131_072, args: 100, operator: 100 } as const

export const commandIdHeader = 'x-command-id'

export function parseCommandRequest(body: unknown): CommandRequest | undefined {
  if (!isObject(body)) return undefined
  const { args, operator, isInteractive } = body
  if (!Array.isArray(args) || args.length > commandLimits.args || !args.every((one) => typeof one === 'string')) return undefined
  if (typeof operator !== 'string' || operator.length > commandLimits.operator || typeof isInteractive !== 'boolean') return undefined
  return { args, operator, isInteractive }
}

export function parseCommandAnswer(body: unknown): CommandAnswer | undefined {
  if (!isObject(body)) return undefined
  const { ask, answer, error } = body
  if (typeof ask !== 'number') return undefined
  if (typeof answer === 'string') return { ask, answer }
  return typeof error === 'string' ? { ask, error } : undefined
}
