import type { Role } from '../base/caller.ts'
import type { Keyring } from '../base/keyring.ts'
import type { Log } from '../base/log/log.ts'
import type { School } from '../base/school.ts'
import type { DatabaseOf } from '../database/connection/database.ts'
import type { NamedAuditEvent } from '../database/tables/auditEvents.ts'
import type { PasswordTurn } from '../identity/accounts/passwordGate.ts'
import type { HomeFacts } from './homePage.ts'
import type { InteractionArguments } from './openInteraction.ts'
import type { FindPageContext } from './pageContext.ts'
import type { PageTheme } from './pageTheme.ts'
import type { FindEnd } from './repeatedSteps.ts'
import type { SignInStep } from './steps/signInStep.ts'
import type { StepRunnerArguments } from './steps/stepRunner.ts'

export interface PagesArguments extends InteractionArguments {
  findEnd: FindEnd
  databaseOf: DatabaseOf
  keyring: Keyring
  log: Log
  steps: readonly SignInStep[]
  signedIn: StepRunnerArguments['signedIn']
  pageContext: FindPageContext
  theme(school: School): Promise<PageTheme>
  audit(entry: PageAuditEntry): Promise<void>
  homeFacts(school: School): Promise<HomeFacts>
}

export interface ConsentingPerson {
  accountId: string
  personId: string | null
  role: Role
  lecturerId: string | null
}

/** Result of a rate limit, after counting. */
export interface Verdict {
  allowed: boolean
  retryAfterSeconds: number
}

/** An attempt with a password. `email` is normalised; undefined if no account can have the entered address. */
export interface PasswordAttempt {
  schoolId: string
  email: string | undefined
  address: string
  /** The id of a browser that signed in to this account before. */
  browser?: string | undefined
}

/** How a check ended. `failed`: it gave no result. */
export type JudgedAttempt<Result> =
  | { outcome: 'passed'; result: Result }
  | { outcome: 'failed' }
  | { outcome: 'limited'; retryAfterSeconds: number }

/**
 * The limits and the queue of everything that hashes a password. Failures have strict limits; passwords that are right have generous ones,
 * because each costs as much.
 */
export interface SignInLimits {
  /**
   * Runs a check of a password. It is refused if a limit is used up. `check` gets the function that compares the password when it is the
   * caller's turn, and returns undefined if the password is wrong. A check that throws does not count.
   * @throws Problem temporarily_unavailable if too many passwords are waiting
   */
  attempt<Result>(attempt: PasswordAttempt, check: (turn: PasswordTurn) => Promise<Result | undefined>): Promise<JudgedAttempt<Result>>
  /**
   * Hashes a new password of a person whose identity was proved.
   * @throws Problem rate_limited, or temporarily_unavailable if too many passwords are waiting
   */
  newPassword(owner: { schoolId: string; email: string; address: string }, hash: () => Promise<string>): Promise<string>
  beginPasskey(address: string): Promise<BegunSignIn>
  /** Begins an attempt with a code of a second factor. Passkeys cannot be guessed and are not limited by account. */
  beginCode(attempt: { schoolId: string; accountId: string }): Promise<BegunSignIn>
  /** Resets the limit of an account after a password was chosen with an e-mail link. */
  passwordChanged(account: { schoolId: string; email: string; address: string }): Promise<void>
}

/** A begun attempt ends in exactly one of three ways. */
export type BegunSignIn =
  | { isAllowed: false; retryAfterSeconds: number }
  | {
      isAllowed: true
      failed(): Promise<void>
      /** Also resets the limit of the account. */
      succeeded(): Promise<void>
      /** The password could not be checked: the attempt is not counted. */
      abandoned(): Promise<void>
    }

export interface PageAuditEntry {
  school_id: string
  event: NamedAuditEvent
  account_id?: string
  client_id?: string
  grant_id?: string
  request_id?: string
  address?: string
  details?: Record<string, unknown>
}
