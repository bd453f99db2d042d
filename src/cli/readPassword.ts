import { maxPasswordBytes } from '../domain/accounts/password.ts'
import { minPasswordCharacters, type PasswordContext, type PasswordIssue, passwordIssue } from '../domain/accounts/passwordIssue.ts'
import { failure, usage } from './failures.ts'
import type { Terminal } from './terminal.ts'

/** Refuses at once, before anything is opened, where there is nobody to type a password. */
export function requirePasswordSource({ isInteractive }: Terminal, fromInput: boolean | undefined): void {
  if (!fromInput && !isInteractive) throw usage('there is no terminal to type a password on: pipe it in and add --password-stdin')
}

/**
 * A new password: typed twice without an echo, or the one line on the standard input. Never an argument: those stand in the process list and
 * in the history of the shell.
 */
export async function readPassword(
  terminal: Terminal,
  { fromInput, ...context }: PasswordContext & { fromInput: boolean | undefined },
): Promise<string> {
  const password = fromInput ? withoutLineEnd(await terminal.readInput()) : await askTwice(terminal, context.email)
  const fault = passwordIssue(password, context)
  if (fault) throw failure(`the password ${wayOut[fault]}; nothing was changed`)
  return password
}

const wayOut: Record<PasswordIssue, string> = {
  too_short: `must have at least ${minPasswordCharacters} characters`,
  too_long: `must have at most ${maxPasswordBytes} bytes`,
  not_typed: 'must be one line without control characters',
  too_common: 'is one of the first that anybody would guess: choose another',
  too_close: 'is too close to the address or to the name of the school: choose another',
}

async function askTwice(terminal: Terminal, email: string): Promise<string> {
  const first = await terminal.askSecretly(`New password of ${email}: `)
  const second = await terminal.askSecretly('Once more: ')
  if (first !== second) throw failure('the two passwords differ; nothing was changed')
  return first
}

// `echo` ends its text with one; a password with one inside is refused by the rules.
const withoutLineEnd = (text: string): string => text.replace(/\r?\n$/, '')
