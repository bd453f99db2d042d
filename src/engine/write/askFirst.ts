import { createHash } from 'node:crypto'
import { accountApprovalPath } from '../../base/accountPaths.ts'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import { toPublicId } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { ApprovalSummary, AskReason, RequestContent } from '../../database/tables/approvalSummary.ts'
import { type Approval, createApproval, findApproval, findKinds, type NewApproval } from '../../database/tables/approvals.ts'
import type { ApiResponse, RequestInput, RunContext, UsedApproval } from '../call.ts'
import { asksFirstOf, type Operation } from '../declare/operations.ts'
import type { Run } from '../run.ts'
import type { RecordedEntry } from './activity.ts'
import { reportOf, takesDryRun } from './dryRun.ts'
import { isAnswered, keyedBy } from './idempotency.ts'
import { allowsSimilar, canonical, commonPart, isWithin } from './similarRequests.ts'
import { TooLargeToUndo } from './undo.ts'

/** A request that changes more rows, or sends more e-mails, needs a decision whatever its operation. */
const [maxRows, maxEmails] = [100, 20]
const repeatSeconds = 5

/**
 * Returns `run` with the decisions of people. For a grant whose person wants to decide, a write that cannot be undone is tried as a dry run
 * first, and refused with the address of the page on which they decide; repeated after they allowed it, it runs once. A write that is too large
 * to be taken back later needs a decision for every grant. `reasonOf` returns the reason for which
 * every request of an operation asks.
 */
export function withApprovals(run: Run, reasonOf: typeof asksFirstOf = asksFirstOf): Run {
  return async (operation, caller, sent, context) => {
    if (!isOfApp(operation, caller) || !context.store) return await run(operation, caller, sent, context)
    const request = readOnce(sent)
    if (caller.asksFirst !== true && !sent.isDryRun) {
      const response = await unlessTooLarge(() => run(operation, caller, request, context))
      if (response) return response
    }
    const content = canonical(await contentOf(operation, request))
    const { grantId } = caller
    const key = { grantId, operation: operation.id, fingerprint: hashOf([operation.id, content]) }
    const found = await findApproval(context.database, key)
    const keyed = { schoolId: context.school.id, id: keyedBy(operation, caller, request) }
    // A stored response needs no decision. Should it expire meanwhile, the request changes nothing.
    if (!sent.isDryRun && (await isAnswered(context.database, keyed)))
      return await run(operation, caller, { ...request, approval: changesNothing }, context)
    const tried = await run(operation, caller, { ...request, isDryRun: true }, context)
    const { entry } = tried
    const summary = entry && summaryOf(reasonOf(operation), caller, entry, tried)
    const wanted = summary && { ...key, content, kind: kindOf(operation, content, summary), rowVersion: entry.rowVersion, summary }
    const approval = entry ? wanted && (await decisionFor(context, wanted, found)) : changesNothing
    if (sent.isDryRun) return wanted && !approval ? withReason(tried, wanted.summary) : tried
    if (!wanted || approval) return await run(operation, caller, { ...request, ...(approval && { approval }) }, context)
    if (found?.status === 'refused') throw refused()
    throw approvalRequired(await requestApproval(context, wanted), context, wanted.summary)
  }
}

/** True for a write of an app, about which a person can decide first. */
const isOfApp = (operation: Operation, caller: Caller): caller is PersonCaller =>
  caller.kind === 'person' && caller.clientId !== '' && takesDryRun(operation)

/** Returns undefined for a write that could not be taken back because of its size: the person decides about it in any case. */
async function unlessTooLarge(write: () => Promise<ApiResponse>): Promise<ApiResponse | undefined> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof TooLargeToUndo) return undefined
    throw error
  }
}

/** A request whose parts can be read twice. */
function readOnce({ body, csv, ...sent }: RequestInput): RequestInput {
  const once = <Value>(read: (() => Promise<Value>) | undefined): (() => Promise<Value>) | undefined => {
    let reading: Promise<Value> | undefined
    return read && (() => (reading ??= read()))
  }
  const [readBody, readCsv] = [once(body), once(csv)]
  return { ...sent, ...(readBody && { body: readBody }), ...(readCsv && { csv: readCsv }) }
}

async function contentOf(
  { path }: Operation,
  { target = path, parameters, body, csv, ifMatch = '' }: RequestInput,
): Promise<RequestContent> {
  return { target, parameters: parameters(), body: (await csv?.()) ?? (await body?.()), ifMatch }
}

const hashOf = (content: unknown): string => createHash('sha256').update(canonical(content)).digest('base64url')

/** Returns the column `approval.kind` of a request. */
function kindOf({ id }: Operation, content: string, summary: ApprovalSummary): string | null {
  const { target, body, ifMatch }: RequestContent = JSON.parse(content)
  const common = allowsSimilar(summary) ? commonPart(body) : undefined
  return common === undefined ? null : hashOf([id, target, common, ifMatch, summary.reason])
}

const changesNothing = { id: undefined, rowVersion: null }

async function decisionFor(
  { database }: RunContext,
  { grantId, rowVersion, kind, summary }: NewApproval,
  found: Approval | undefined,
): Promise<UsedApproval | undefined> {
  if (found?.status === 'approved' && found.row_version === rowVersion) return { id: found.id, rowVersion }
  if (kind === null || found?.status === 'refused') return undefined
  const similar = (await findKinds(database, { grantId, kind })).find((one) => isWithin(summary, one.summary))
  return similar && { id: similar.id, rowVersion, isKind: true }
}

/** Returns the response to a dry run that says that the request would ask. */
function withReason(tried: ApiResponse, { reason }: ApprovalSummary): ApiResponse {
  const body = { ...tried.body, dry_run: { ...reportOf(tried.body), asks: { reason } } }
  return { ...tried, body, text: JSON.stringify(body) }
}

/** Returns what the person decides about; undefined if the request needs no decision. */
function summaryOf(
  declared: AskReason | undefined,
  caller: PersonCaller,
  entry: RecordedEntry,
  { body }: ApiResponse,
): ApprovalSummary | undefined {
  const { affected, emails, undo_days } = reportOf(body)
  const { event, details, effect } = entry
  const rows = affected.reduce((sum, { action, count }) => (action === 'created' ? sum : sum + count), 0)
  const byEffect = (): AskReason | 'many' | undefined => {
    if (effect?.isTooLarge || (undo_days === 0 && effect?.losses.any)) return 'irreversible'
    if (emails > maxEmails) return 'outward'
    return rows > maxRows ? 'many' : undefined
  }
  const always = effect?.isTooLarge ? 'irreversible' : undefined
  const reason = caller.asksFirst === true ? (declared ?? byEffect()) : always
  return reason && { reason, event, details, affected, emails, undo_days }
}

/** @throws Problem access_denied if the app may not ask again */
async function requestApproval({ store, externalServices: { approvals } }: RunContext, request: NewApproval): Promise<Approval> {
  if (!store) throw new Error('an approval needs a store')
  const sealed = { ...request, content: approvals.seal(request.content) }
  const created = await store.transaction((writer) => createApproval(writer, sealed, (content) => approvals.open(content) !== undefined))
  if (created === 'refused') throw refused()
  if (created !== 'pending') return created
  throw new Problem('access_denied', {
    description: 'Too many requests of this app wait for the decision of the person. Wait until they have decided.',
  })
}

const refused = (): Problem => new Problem('access_denied', { description: 'The person refused. Do not ask again today.' })

function approvalRequired({ id, expires_at }: Approval, { school }: RunContext, { affected, emails }: ApprovalSummary): Problem {
  const approvalId = toPublicId('apr', id)
  const url = `${school.issuer}${accountApprovalPath(approvalId)}`
  return new Problem('approval_required', {
    description: `The person decides about this first. Give them this address: ${url} Then send the same request again.`,
    headers: { 'Retry-After': String(repeatSeconds), Link: `<${url}>; rel="approval"` },
    details: [
      {
        code: 'approval_required',
        message: 'The person decides on this page. Nothing else approves the request.',
        meta: { id: approvalId, url, status: 'pending', expires_at: expires_at.toISOString(), affected, emails },
      },
    ],
  })
}
