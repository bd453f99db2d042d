import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import type { Role } from '../base/caller.ts'
import type { Keyring } from '../base/keyring.ts'
import type { Log } from '../base/log/log.ts'
import type { School } from '../base/school.ts'
import type { OAuthConfig } from '../config/oauth.ts'
import type { DatabaseOf } from '../database/connection/database.ts'
import type { AuditEntry } from '../database/tables/audit.ts'
import type { NamedAuditEvent } from '../database/tables/auditEvents.ts'
import type { PasswordTurn } from '../identity/accounts/passwordGate.ts'
import type { Grantable } from '../identity/apps/grantable.ts'
import type { Exchange } from '../identity/oidc/engineTransaction.ts'
import type { Stores } from '../identity/oidc/stores.ts'
import type { SecondFactorRules } from '../identity/signIn/authenticationContext.ts'
import type { ConsentScope } from './consentScope.ts'
import type { HomeFacts } from './homePage.ts'
import type { KnownBrowsers } from './knownBrowser.ts'
import type { NotifyPerson } from './notifyPerson.ts'
import type { FindPageContext } from './pageContext.ts'
import type { PageTheme } from './pageTheme.ts'
import type { SignInStep } from './steps/signInStep.ts'

/** The parts of the service that pages for people use. */
export interface PageServices {
  databaseOf: DatabaseOf
  stores: Stores
  keyring: Keyring
  log: Log
  oauth(): OAuthConfig
  /** The engine of the school of the request. */
  provider(ctx: Context): Promise<Provider>
  /** The rows that the request to the engine has read, and what it will write; undefined for other requests. */
  exchange(): Pick<Exchange, 'facts' | 'isFirstGrant' | 'auditOfGrant'> | undefined
  /** Names that self-registered clients must not imitate, including the school's own name. */
  protectedNames(school: School): Promise<readonly string[]>
  pageContext: FindPageContext
  /** Every scope, in the order in which pages show them. */
  scopes: readonly ConsentScope[]
  grantable: Grantable
  limits: { signIn: SignInLimits; account: AccountLimits }
  /** The rules of each school about second factors. */
  secondFactors: Pick<SecondFactorRules, 'ruleOf' | 'isRequired'>
  knownBrowsers: KnownBrowsers
  /** E-mails a person what happened to their account, after the response. */
  notify: NotifyPerson
  audit(entry: PageAuditEntry): Promise<void>
  /** Counts an audit entry that is written together with a change, and returns it. */
  counted(entry: AuditEntry): AuditEntry
  /** The steps of signing in and consenting. */
  steps(services: PageServices): readonly SignInStep[]
}

export interface PagesArguments extends PageServices {
  theme(school: School): Promise<PageTheme>
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

/** Rate limits of requests without a session, by network address, of e-mails, by recipient, and of comments, by person. */
export interface AccountLimits {
  signUp(address: string): Promise<Verdict>
  passwordReset(address: string): Promise<Verdict>
  message(schoolId: string, email: string): Promise<Verdict>
  /** Counts a comment that a person writes or changes. */
  comment(schoolId: string, accountId: string): Promise<Verdict>
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
