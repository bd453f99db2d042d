import { maxPasswordBytes } from '../../identity/accounts/password.ts'
import { createGuessEstimator } from '../../identity/accounts/passwordRule/guessEstimator.ts'
import { createNewPasswordRule } from '../../identity/accounts/passwordRule/newPasswordRule.ts'
import { minPasswordCharacters, type PasswordContext, type PasswordIssue } from '../../identity/accounts/passwordRule/passwordIssue.ts'
import { failure, usage } from './failures.ts'
import type { Terminal } from './terminal.ts'

/** Throws if the command has no source for a password. Call it before opening anything. */
export function requirePasswordSource({ isInteractive }: Terminal, fromInput: boolean | undefined): void {
  if (!fromInput && !isInteractive) throw usage('the input is not a terminal: pipe the password to standard input and add --password-stdin')
}

/**
 * Reads a new password: typed twice without an echo, or one line of standard input. A password is never an argument, because arguments
 * appear in the process list and in the shell history.
 */
export async function readPassword(
  terminal: Terminal,
  { fromInput, ...context }: PasswordContext & { fromInput: boolean | undefined },
): Promise<string> {
  const password = fromInput ? withoutLineEnd(await terminal.readInput()) : await askTwice(terminal, context.email)
  const estimator = createGuessEstimator({
    onFailure: (reason) => terminal.err(`the strength of the password could not be estimated: ${reason}\n`),
    limitMilliseconds: 60_000,
  })
  const issue = await createNewPasswordRule(estimator)(password, context).finally(estimator.close)
  if (issue) throw failure(`the password ${wayOut[issue]}; nothing was changed`)
  return password
}

const wayOut: Record<PasswordIssue, string> = {
  too_short: `must have at least ${minPasswordCharacters} characters`,
  too_long: `must have at most ${maxPasswordBytes} bytes`,
  not_typed: 'must be one line without control characters',
  too_common: 'is too easy to guess: use three unrelated words, for example',
  too_close: 'is too similar to the e-mail address, the name of the person or the name of the school: choose another',
}

async function askTwice(terminal: Terminal, email: string): Promise<string> {
  const first = await terminal.askSecretly(`New password of ${email}: `)
  const second = await terminal.askSecretly('Repeat the password: ')
  if (first !== second) throw failure('the passwords differ; nothing was changed')
  return first
}

// `echo` adds a line ending. Line breaks inside the password are rejected by the password rules.
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
