import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import type { BackgroundTasks } from '../../lib/backgroundTasks.ts'
import type { Keyring } from '../../lib/keyring.ts'
import type { Log } from '../../lib/log.ts'
import type { SendMessage } from '../../policy/messages.ts'
import type { School } from '../../policy/school.ts'
import type { Database } from '../../store/database.ts'
import type { ConsentScope } from '../consentScope.ts'
import type { KnownBrowsers } from '../knownBrowser.ts'
import type { FindSetting } from '../pageContext.ts'
import type { PageAuditEntry, SignInLimits, Verdict } from '../pagesArguments.ts'
import type { SignInStep } from '../steps/signInStep.ts'

/** Everything that the pages about a person's own account need from the other rooms. */
export interface AccountArguments {
  database: Database
  keyring: Keyring
  log: Log
  /** The engine of the school that the request is for. */
  provider(ctx: Context): Promise<Provider>
  /** The catalogue, in the order in which people read it. */
  scopes: readonly ConsentScope[]
  limits: { signIn: SignInLimits; account: AccountLimits }
  knownBrowsers: KnownBrowsers
  /** Names that no self-registered client should carry, the school's own among them. */
  protectedNames(school: School): Promise<readonly string[]>
  pageContext: FindSetting
  audit(entry: PageAuditEntry): Promise<void>
  /** The steps of signing in; only those of the prompt `login` run here. */
  steps: readonly SignInStep[]
  /** @throws Problem temporarily_unavailable where too many passwords are being hashed */
  hashPassword(password: string): Promise<string>
  /** For how long a browser stays signed in. */
  sessionSeconds(): number
  send: SendMessage
  backgroundTasks: BackgroundTasks
  /** Ends every token and code of a grant. */
  endGrant(schoolId: string, grantId: string): Promise<void>
  /** Removes an account's sessions from where they are kept. */
  removeSessions(schoolId: string, accountId: string): Promise<void>
}

/** What is asked for without being signed in, by network address, and messages by the address that they go to. */
export interface AccountLimits {
  signUp(address: string): Promise<Verdict>
  passwordReset(address: string): Promise<Verdict>
  message(schoolId: string, email: string): Promise<Verdict>
}
