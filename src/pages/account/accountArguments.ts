import type { Context } from 'koa'
import type Provider from 'oidc-provider'
import type { ReceivedForm } from '../../base/http/readMultipartForm.ts'
import type { Keyring } from '../../base/keyring.ts'
import type { Log } from '../../base/log/log.ts'
import type { School } from '../../base/school.ts'
import type { Language } from '../../base/text/languages.ts'
import type { ListedRow, PageOfRows } from '../../base/text/pageOfRows.ts'
import type { DatabaseOf } from '../../database/connection/database.ts'
import type { Defer } from '../../database/outbox/deferredWork.ts'
import type { SendMessage } from '../../database/outbox/sendMessage.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { CheckPassword } from '../../identity/accounts/passwordCheck.ts'
import type { CheckNewPassword } from '../../identity/accounts/passwordRule/newPasswordRule.ts'
import type { AccessRule } from '../../identity/apps/accessDuration.ts'
import type { AppTerms, SchoolAppRules } from '../../identity/apps/schoolAppRules.ts'
import type { SecondFactorRules, SecondStepRule } from '../../identity/signIn/authenticationContext.ts'
import type { ResponseTo } from '../../school/apiRows.ts'
import type { ConsentScope } from '../consentScope.ts'
import type { KnownBrowsers } from '../knownBrowser.ts'
import type { NotifyPerson } from '../notifyPerson.ts'
import type { FindPageContext } from '../pageContext.ts'
import type { ConsentingPerson, PageAuditEntry, SignInLimits, Verdict } from '../pagesArguments.ts'
import type { SignInStep } from '../steps/signInStep.ts'
import type { StepRunnerArguments } from '../steps/stepRunner.ts'
import type { KeptForms } from './keptForms.ts'

/** Everything that the account pages need from other modules. */
export interface AccountArguments {
  databaseOf: DatabaseOf
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
  hashPassword(password: string): Promise<string>
  /** The rule for passwords that people choose. */
  checkNewPassword: CheckNewPassword
  /** Checks the password of a person who is signed in. */
  checkOwnPassword: CheckPassword
  /** The rule of a school about second factors. */
  secondStep(school: School): SecondStepRule
  secondFactors: Pick<SecondFactorRules, 'isRequired'>
  /** Lifetime of a browser session, by whether the person wants to stay signed in. */
  sessionSeconds(isRemembered: boolean): number
  send: SendMessage
  /** E-mails a person what happened to their account, after the response. */
  notify: NotifyPerson
  /** Called when a person has completed every step of a sign-in. */
  signedIn: StepRunnerArguments['signedIn']
  defer: Defer
  /** Revokes every token and code of a grant. */
  endGrant(schoolId: string, grantId: string): Promise<void>
  /** Changes of the school's clients by its owners and admins. */
  administration: ClientAdministration
  keptForms: KeptForms
  perform: PerformOwn
  list: OwnOperations['list']
  inputOf: OwnOperations['inputOf']
  describe: OwnOperations['describe']
  describeRequest: OwnOperations['describeRequest']
  readerOf: OwnOperations['readerOf']
  /** Decrypts the request of an app; undefined if it cannot. */
  openApproval: ExternalServices['approvals']['open']
  /** Returns the rules of the school, as they apply to a client. */
  findTerms(schoolId: string, clientId: string): Promise<AppTerms>
  /** True if the operator requires that every app asks before it does what cannot be undone. */
  mustAskFirst(): boolean
  /** Returns the durations that people can choose from. */
  accessRule(terms: AppTerms): AccessRule
  /** Extends or shortens the access of a live grant. Returns both ends; undefined if it has ended. */
  setAccessEnd(
    schoolId: string,
    access: { accountId: string; grantId: string; expiresInSeconds: number },
  ): Promise<{ from: Date; to: Date } | undefined>
  /** Sets the name by which a person knows an app; null for the name that it registered. Returns false if it has no access. */
  renameOwn(schoolId: string, app: { accountId: string; clientId: string; name: string | null }): Promise<boolean>
  /** Pauses the access of an app to an account, or continues it. Returns the grants that changed. */
  pauseOwn(schoolId: string, access: { accountId: string; clientId: string; isPaused: boolean }): Promise<string[]>
  /** Lets the person decide before an app does what cannot be undone, or no longer. Returns the grants that changed. */
  setAsksFirst(schoolId: string, access: { accountId: string; clientId: string; asksFirst: boolean }): Promise<string[]>
  checkoutAddress: ExternalServices['checkoutAddress']
  /** Returns false if another site shows the public pages of the school. */
  hasPages(school: School): boolean
  /** Languages of the school's pages. */
  languages(school: School): readonly Language[]
  /**
   * Returns a ZIP archive of everything that is stored about the account, as a stream.
   * @throws Problem rate_limited
   */
  exportArchive(ctx: Context, accountId: string, contents: ExportContents): Promise<AsyncIterable<Uint8Array>>
  /** Lists and ends sessions of browsers. */
  sessions: ExternalServices['sessions']
  /** Removes the sessions of an account from the store. */
  removeSessions(schoolId: string, accountId: string): Promise<void>
}

/** The documents in the archive of a person. */
export interface ExportContents {
  documents(): AsyncIterable<{ name: string; text: string }>
  /** Returns a page that shows the data and links to the documents. */
  index(data: unknown, documents: readonly string[]): string
}

/** The parts of a call of an operation. */
export interface OwnCall<Query extends ListedRow = ListedRow> {
  parameters?: Query
  body?: unknown
  /** A form with a file, for operations that take one. */
  form?: ReceivedForm
  /** The entity tag of the version that the person saw. */
  ifMatch?: string
  /** The language of the page, for e-mails about the action. */
  language?: string
  /** The idempotency key of the form: an operation by POST runs once for it. */
  key?: string | undefined
  /** True to try it: nothing is kept. */
  isDryRun?: boolean
  /** The media type of the response, if it is not JSON. */
  type?: 'text/html' | 'text/calendar'
}

/** Calls operations of the API for a person, and describes what they take. */
export interface OwnOperations {
  /** Calls an operation. It refuses lists, which `list` reads. */
  perform: PerformOwn
  /**
   * Returns a page of a list. A `limit` in the parameters has precedence.
   * @throws Problem
   */
  list<Id extends string, const Query extends ListedRow>(
    ctx: Context,
    accountId: string,
    operation: Id,
    parameters?: Query,
    position?: { limit?: number; cursor?: string },
  ): Promise<PageOfRows<ResponseTo<Id, Query>>>
  inputOf(operation: string): OperationInput
  /** Returns undefined for an operation of another release. */
  describe(operation: string): CalledOperation | undefined
  /** Returns undefined for an operation of another release. */
  describeRequest(operation: string): DescribedRequest | undefined
  readerOf(idPrefix: string): RowReader | undefined
}

/** The requests of an operation, as a page shows them. */
export interface DescribedRequest {
  /** True if the body has new values of the row. */
  isChange: boolean
  isNew: boolean
  /** Values that are choices of a list, each after the name of its member. */
  choices: ReadonlySet<string>
  row: RowReader | undefined
  /** The operations that list what is under the row, then those that list everything. */
  lists: readonly { idPrefix: string; operation: string; isUnder: boolean; expand: readonly string[] }[]
}

export interface RowReader {
  operation: string
  /** The name of the row in the path; undefined if there is one row. */
  parameter: string | undefined
  expand: readonly string[]
}

export interface CalledOperation {
  scope: string | undefined
  isRead: boolean
}

/** The parameters of the path of an operation, and the members of its body. */
export interface OperationInput {
  parameters: readonly string[]
  fields: Readonly<Record<string, FieldRules>>
}

/** The limits of a member of a body. */
export interface FieldRules {
  maxLength?: number | undefined
  options?: readonly string[]
}

/**
 * Calls an operation of the API for the person of an account, with the checks, limits and audit entries of a call by an app.
 * @throws Problem
 */
export type PerformOwn = <Id extends string, const Query extends ListedRow = ListedRow>(
  ctx: Context,
  accountId: string,
  operation: Id,
  call?: OwnCall<Query>,
) => Promise<OwnAnswer<ResponseTo<Id, Query>>>

/** The response to a call, in the form of the API. */
export interface OwnAnswer<Body = ListedRow> {
  body: Body
  /** The response as text, for other media types than JSON. */
  text?: string
  type?: string | undefined
  headers?: Readonly<Record<string, string>> | undefined
  etag?: string | undefined
  /** The response in pieces, in place of the body. */
  stream?: { pieces: AsyncIterable<string> }
}

/** Rate limits of requests without a session, by network address, of e-mails, by recipient, and of comments, by person. */
export interface AccountLimits {
  signUp(address: string): Promise<Verdict>
  passwordReset(address: string): Promise<Verdict>
  message(schoolId: string, email: string): Promise<Verdict>
  /** Counts a comment that a person writes or changes. */
  comment(schoolId: string, accountId: string): Promise<Verdict>
}

/** A client of a school, and who disabled it. */
export interface AdministeredClient {
  id: string
  disabledBy: 'school' | 'operator' | undefined
}

/** Reads and changes the clients of a school. */
export interface ClientAdministration {
  /** Returns a client of the school, disabled or not. */
  find(schoolId: string, clientId: string): Promise<AdministeredClient | undefined>
  /** Returns live grants of a client. */
  grantsOf(schoolId: string, grants: { clientId: string; limit: number }): Promise<{ id: string; account_id: string }[]>
  /** Disables a client for the school, and revokes all its tokens. */
  disable(schoolId: string, clientId: string): Promise<void>
  /** Enables a client. Its earlier tokens stay revoked. */
  enable(schoolId: string, clientId: string): Promise<void>
  /** Pauses a client for everybody, or continues it. Returns false if it was so already. */
  pause(schoolId: string, clientId: string, isPaused: boolean): Promise<boolean>
  /** Agrees to a client that registered itself. Returns false if an owner had done so. */
  agree(schoolId: string, clientId: string): Promise<boolean>
  /** Saves the rules of the school for apps, and returns the former ones. */
  saveRules(schoolId: string, rules: SchoolAppRules): Promise<SchoolAppRules>
}
