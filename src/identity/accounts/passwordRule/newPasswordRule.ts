import type { GuessEstimator } from './guessEstimator.ts'
import { knownWords, type PasswordContext, type PasswordIssue, passwordIssue } from './passwordIssue.ts'

/** Returns why a new password is rejected, or undefined if it is accepted. */
export type CheckNewPassword = (password: string, context: PasswordContext) => Promise<PasswordIssue | undefined>

/** A password that this many guesses find is accepted: what rate limits allow in years. Eight random characters reach it. */
const acceptedGuesses = 1e8

/** Combines the rules that need no dictionary with the estimate. Without an estimate, the other rules decide alone. */
export const createNewPasswordRule =
  ({ estimate }: Pick<GuessEstimator, 'estimate'>): CheckNewPassword =>
  async (password, context) => {
    const issue = passwordIssue(password, context)
    if (issue !== undefined) return issue
    const guesses = await estimate(password.normalize('NFKC'), knownWords(context))
    return guesses !== undefined && guesses < acceptedGuesses ? 'too_common' : undefined
  }
