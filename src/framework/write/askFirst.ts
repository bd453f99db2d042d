import { createHash } from 'node:crypto'
import { toPublicId } from '../../lib/ids.ts'
import { Problem } from '../../lib/problem.ts'
import { accountApprovalPath } from '../../policy/accountPaths.ts'
import type { ApprovalSummary } from '../../policy/approvalSummary.ts'
import type { Caller, PersonCaller } from '../../policy/caller.ts'
import {
  type Approval,
  type ApprovalRequest,
  type ApprovalState,
  approvalState,
  createApproval,
  findApproval,
} from '../../store/approvals.ts'
import type { ApiResponse, RequestInput, RunContext } from '../call.ts'
import { asksFirstOf } from '../declare/asksFirst.ts'
import type { Operation } from '../declare/operations.ts'
import type { Run } from '../run.ts'
import type { RecordedEntry } from './activity.ts'
import { canonical } from './canonical.ts'
import { dryRunSchema, takesDryRun } from './dryRun.ts'

/** A request that changes more rows, or sends more e-mails, needs a decision whatever its operation. */
const [maxRows, maxEmails] = [100, 20]
/** An app that has so many requests waiting, or so many refused within a day, may send no further one. */
const [maxPending, maxRefused] = [10, 3]
const repeatSeconds = 5

/**
 * Returns `run` with the decisions of people. For a grant whose person wants to decide, a write that cannot be undone is tried as a dry run
 * first, and refused with the address of the page on which they decide; repeated after they allowed it, it runs once.
 */
export function withApprovals(run: Run): Run {
  return async (operation, caller, sent, context) => {
    if (!mayAsk(operation, caller, sent) || !context.store) return await run(operation, caller, sent, context)
    const request = readOnce(sent)
    const key = { grantId: caller.grantId, operation: operation.id, fingerprint: await fingerprintOf(operation, request) }
    const found = await findApproval(context.database, key)
    // The key of a request that has run leads to its response.
    if (found?.status === 'used' && sent.idempotencyKey !== undefined)
      return await run(operation, caller, { ...request, approval: usedOf(found) }, context)
    const tried = await run(operation, caller, { ...request, isDryRun: true }, context)
    if (!tried.entry) return await run(operation, caller, { ...request, approval: changesNothing }, context)
    const summary = summaryOf(operation, tried.entry, tried)
    if (!summary) return await run(operation, caller, request, context)
    const { rowVersion } = tried.entry
    if (found?.status === 'approved' && found.row_version === rowVersion)
      return await run(operation, caller, { ...request, approval: usedOf(found) }, context)
    if (found?.status === 'refused') throw refused()
    const state = await approvalState(context.database, key)
    if (state.is_allowed) return await run(operation, caller, request, context)
    throw approvalRequired(await requestApproval(context, { ...key, rowVersion, summary }, { state, found }), context, summary)
  }
}

/** True for a write of an app whose person decides first. */
const mayAsk = (operation: Operation, caller: Caller, sent: RequestInput): caller is PersonCaller =>
  caller.kind === 'person' && caller.asksFirst === true && caller.clientId !== '' && !sent.isDryRun && takesDryRun(operation)

/** A request whose parts can be read twice. */
function readOnce({ body, csv, ...sent }: RequestInput): RequestInput {
  const once = <Value>(read: (() => Promise<Value>) | undefined): (() => Promise<Value>) | undefined => {
    let reading: Promise<Value> | undefined
    return read && (() => (reading ??= read()))
  }
  const [readBody, readCsv] = [once(body), once(csv)]
  return { ...sent, ...(readBody && { body: readBody }), ...(readCsv && { csv: readCsv }) }
}

/** Returns the same text for the same request: the same operation, URL, body and If-Match. */
async function fingerprintOf({ id }: Operation, { target, parameters, body, csv, ifMatch }: RequestInput): Promise<string> {
  const table = await csv?.()
  const content = [id, target ?? parameters(), table ?? (await body?.()), ifMatch ?? '']
  return createHash('sha256').update(canonical(content)).digest('base64url')
}

const changesNothing = { id: undefined, rowVersion: null }

const usedOf = ({ id, row_version }: Approval) => ({ id, rowVersion: row_version })

/** Returns what the person decides about; undefined if the request needs no decision. */
function summaryOf(operation: Operation, { event, details }: RecordedEntry, { body }: ApiResponse): ApprovalSummary | undefined {
  const { affected, emails, undo_days } = dryRunSchema.parse(body.dry_run)
  const rows = affected.reduce((sum, { action, count }) => (action === 'created' ? sum : sum + count), 0)
  const reason = asksFirstOf(operation) ?? (emails > maxEmails ? 'outward' : rows > maxRows ? 'many' : undefined)
  return reason && { reason, event, details, affected, emails, undo_days }
}

interface NewRequest extends ApprovalRequest {
  rowVersion: number | null
  summary: ApprovalSummary
}

/** @throws Problem access_denied if the app may not ask again */
async function requestApproval(
  { store }: RunContext,
  request: NewRequest,
  { state, found }: { state: ApprovalState; found: Approval | undefined },
) {
  if (found?.status === 'pending' && found.row_version === request.rowVersion) return found
  if (state.refused >= maxRefused) throw refused()
  if (state.pending >= maxPending) {
    throw new Problem('access_denied', {
      description: `${state.pending} requests of this app wait for the decision of the person already. Wait until they have decided.`,
    })
  }
  if (!store) throw new Error('an approval needs a store')
  return await store.transaction((writer) => createApproval(writer, request))
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
