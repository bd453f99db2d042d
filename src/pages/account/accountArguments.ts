import type { Context } from 'koa'
import type { ReceivedForm } from '../../base/http/readMultipartForm.ts'
import type { School } from '../../base/school.ts'
import type { Language } from '../../base/text/languages.ts'
import type { ListedRow, PageOfRows } from '../../base/text/pageOfRows.ts'
import type { Defer } from '../../database/outbox/deferredWork.ts'
import type { Proposal, StoredRequest } from '../../database/tables/proposals.ts'
import type { ExternalServices } from '../../engine/externalServices.ts'
import type { ManagedResource } from '../../engine/output/managedResources.ts'
import type { OperationInput } from '../../engine/output/operationInput.ts'
import type { RecordedEntry } from '../../engine/write/activity.ts'
import type { Merge } from '../../engine/write/mergeProposal.ts'
import type { Replayed } from '../../engine/write/replay.ts'
import type { CheckNewPassword } from '../../identity/accounts/passwordRule/newPasswordRule.ts'
import type { ResponseTo } from '../../school/apiRows.ts'
import type { PageServices } from '../pagesArguments.ts'
import type { AccountPresenter } from './accountPresenter.ts'
import type { KeptForms } from './keptForms.ts'

/** Everything that the account pages need from other modules. */
export interface AccountArguments extends PageServices, OwnOperations, OwnServices {
  /** The rule for passwords that people choose. */
  checkNewPassword: CheckNewPassword
  proposals: OwnProposals
  defer: Defer
  /** Returns the page of an order at the checkout; undefined if the school has not named it. */
  orderAddress(school: School, order: { id: string; number: string; reference: string }): string | undefined
  /** Languages of the school's pages. */
  languages(school: School): readonly Language[]
  /**
   * Returns a ZIP archive of everything that is stored about the account, as a stream.
   * @throws Problem rate_limited
   */
  exportArchive(ctx: Context, accountId: string, contents: ExportContents): Promise<AsyncIterable<Uint8Array>>
}

/** The arguments with the parts that the account pages share. */
export interface AccountServices extends AccountArguments {
  present: AccountPresenter
  keptForms: KeptForms
}

/** Shows and merges the proposals of apps, with the permissions that these have now. */
export interface OwnProposals {
  /**
   * Returns the requests with what they would change now, and whether another owner or admin decides about that; undefined if the app can do
   * nothing any more.
   */
  show(
    ctx: Context,
    proposal: Proposal,
    requests: readonly StoredRequest[],
  ): Promise<{ replayed: Replayed[]; needsSecond: boolean } | undefined>
  /** See `mergeProposal`. */
  merge(ctx: Context, proposal: Proposal, merge: Merge): Promise<'merged' | 'changed' | 'late'>
}

type OwnServices = Pick<ExternalServices, 'approvals' | 'apps' | 'checkoutAddress' | 'hasPages' | 'send' | 'sessions'> & {
  undo: Pick<ExternalServices['undo'], 'open'>
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
  /** The text of a file of rows, in place of the body. */
  csv?: string
  /** True to try it: nothing is kept. */
  isDryRun?: boolean
  /** The media type of the response, if it is not JSON. */
  type?: 'text/html' | 'text/calendar' | 'text/csv'
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
  /** The resources that the staff of a school manage, by name. */
  managed: ReadonlyMap<string, ManagedResource>
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
  /** The entry of a write in the audit trail; absent if it has changed nothing. */
  entry?: RecordedEntry | undefined
}
