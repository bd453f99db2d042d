import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import type { Keyring } from '../lib/keyring.ts'
import type { Log } from '../lib/log.ts'
import type { Role } from '../policy/caller.ts'
import type { School } from '../policy/school.ts'
import type { Database } from '../store/database.ts'
import type { Look } from './look.ts'
import type { FindSetting } from './pageContext.ts'
import type { SignInStep } from './steps/signInStep.ts'

/** Everything that the pages need from the other rooms. */
export interface PagesArguments {
  database: Database
  keyring: Keyring
  log: Log
  /** The engine of the school that the request is for. */
  provider(ctx: Context): Promise<Provider>
  /** The steps of signing in and consenting, in the order in which they are asked. */
  steps: readonly SignInStep[]
  /** Names that no self-registered client should carry, the school's own among them. */
  protectedNames(school: School): Promise<readonly string[]>
  clients: { describe(schoolId: string, clientId: string): Promise<ClientOrigin | undefined> }
  pageContext: FindSetting
  /** How a school's pages look now. */
  look(school: School): Promise<Look>
  audit(entry: PageAuditEntry): Promise<void>
}

/** Who is asked, and what they are to the school at this moment. */
export interface ConsentingPerson {
  accountId: string
  personId: string | null
  role: Role
  lecturerId: string | null
}

/** How a client came to be known here. */
export interface ClientOrigin {
  registeredVia: 'self' | 'integration'
  createdAt: Date
}

/** The answer of a limit: counted, and whether it was one too many. */
export interface Verdict {
  allowed: boolean
  retryAfterSeconds: number
}

/** Limits of failed sign-ins. A sign-in that succeeds uses up nothing. */
export interface SignInLimits {
  /**
   * Begins an attempt, before the password is looked at. `email` is normalised, and undefined where no account can have what was typed.
   * `browser` is the id of a browser that signed in to this account before.
   */
  begin(attempt: { schoolId: string; email: string | undefined; address: string; browser?: string | undefined }): Promise<BegunSignIn>
  /** Clears the failures of an account after its password was chosen with a mailed link. */
  passwordChanged(account: { schoolId: string; email: string; address: string }): Promise<void>
}

/** An attempt that began ends in exactly one of three ways. */
export type BegunSignIn =
  | { isAllowed: false; retryAfterSeconds: number }
  | {
      isAllowed: true
      failed(): Promise<void>
      /** Clears the failures of the account, too. */
      succeeded(): Promise<void>
      /** The password could not be checked: the attempt counts for nothing. */
      abandoned(): Promise<void>
    }

/** A row of the audit trail that a page writes. */
export interface PageAuditEntry {
  school_id: string
  event:
    | 'consent.granted'
    | 'consent.refused'
    | 'sign_in.succeeded'
    | 'sign_in.failed'
    | 'account.created'
    | 'account.kept'
    | 'account.signed_out_everywhere'
    | 'email.changed'
    | 'grant.revoked'
    | 'password.changed'
    | 'password.reset_requested'
  account_id?: string
  client_id?: string
  grant_id?: string
  request_id?: string
  address?: string
  details?: Record<string, unknown>
}
