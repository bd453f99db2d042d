import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import type { BackgroundTasks } from '../../lib/backgroundTasks.ts'
import type { Keyring } from '../../lib/keyring.ts'
import type { Log } from '../../lib/log.ts'
import type { School } from '../../policy/school.ts'
import type { SendMessage } from '../../policy/sendMessage.ts'
import type { Database } from '../../store/database.ts'
import type { ConsentScope } from '../consentScope.ts'
import type { KnownBrowsers } from '../knownBrowser.ts'
import type { FindPageContext } from '../pageContext.ts'
import type { ConsentingPerson, PageAuditEntry, SignInLimits, Verdict } from '../pagesArguments.ts'
import type { SignInStep } from '../steps/signInStep.ts'

/** Everything that the account pages need from other modules. */
export interface AccountArguments {
  database: Database
  keyring: Keyring
  log: Log
  /** The engine of the school of the request. */
  provider(ctx: Context): Promise<Provider>
  /** Every scope, in the order in which pages show them. */
  scopes: readonly ConsentScope[]
  /** Finds the person of an account, with their current role. */
  findPerson(schoolId: string, accountId: string): Promise<ConsentingPerson | undefined>
  limits: { signIn: SignInLimits; account: AccountLimits }
  knownBrowsers: KnownBrowsers
  /** Names that self-registered clients must not imitate, including the school's own name. */
  protectedNames(school: School): Promise<readonly string[]>
  pageContext: FindPageContext
  audit(entry: PageAuditEntry): Promise<void>
  /** The steps of signing in; only those of the prompt `login` run here. */
  steps: readonly SignInStep[]
  /** @throws Problem temporarily_unavailable if too many passwords are being hashed */
  hashPassword(password: string): Promise<string>
  /** Lifetime of a browser session. */
  sessionSeconds(): number
  send: SendMessage
  backgroundTasks: BackgroundTasks
  /** Revokes every token and code of a grant. */
  endGrant(schoolId: string, grantId: string): Promise<void>
  /** Removes the sessions of an account from the store. */
  removeSessions(schoolId: string, accountId: string): Promise<void>
}

/** Rate limits of requests without a session, by network address, and of e-mails, by recipient. */
export interface AccountLimits {
  signUp(address: string): Promise<Verdict>
  passwordReset(address: string): Promise<Verdict>
  message(schoolId: string, email: string): Promise<Verdict>
}
