import { newEntryId } from '../../base/ids.ts'
import type { SchoolReader, SchoolWriter, Stored, Writer } from '../connection/database.ts'
import { now, secondsAgo, secondsFromNow } from '../statements/expressions.ts'
import { unnest } from '../statements/unnest.ts'
import { isLiveGrant } from './connectedApps.ts'
import { mayDecide, maySee, noteDeletion } from './deciders.ts'

export type ProposalStatus = 'draft' | 'submitted' | 'merged' | 'refused' | 'ended'

/** Requests of an app about which a person decides together. */
export interface Proposal extends Stored<'proposal', 'id' | 'grant_id' | 'name' | 'created_at' | 'decided_at' | 'expires_at'> {
  client_id: string
  account_id: string
  status: ProposalStatus
  /** True after the time to decide. */
  is_expired: boolean
  /** True if it deletes something. */
  needs_second: boolean
}

export interface StoredRequest
  extends Stored<'proposal_request', 'position' | 'operation' | 'fingerprint' | 'size' | 'sealed' | 'response'> {
  status: 'waiting' | 'merged' | 'left_out'
}

/** How long a person can decide: about a single request, and about a proposal from its first request on, in seconds. */
const [askSeconds, proposalSeconds] = [3600, 7 * 86_400]
/** How long a decision about a single request counts when the app repeats it, in seconds. */
export const decisionSeconds = 86_400
/** An app may have so many open proposals, so many requests that wait, and so many requests that were refused within a day. */
const [maxOpen, maxWaiting, maxRefused] = [10, 10, 3]

const selectProposals = (reader: SchoolReader) =>
  reader
    .selectFrom('proposal')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'proposal.grant_id')
    .select(['proposal.id', 'proposal.grant_id', 'proposal.name', 'proposal.status', 'proposal.created_at', 'proposal.decided_at'])
    .select(['proposal.expires_at', 'proposal.needs_second', 'oidc_grant.client_id', 'oidc_grant.account_id'])
    .select((row) => row.cast<boolean>(row.or([row('proposal.expires_at', '<=', now), row.not(isLiveGrant)]), 'boolean').as('is_expired'))
    .orderBy('proposal.id', 'desc')
    .$narrowType<{ status: ProposalStatus }>()

/** True while an app can add requests to a proposal, or a person can decide about it. */
export const isOpen = ({ status, is_expired }: Proposal): boolean => (status === 'draft' || status === 'submitted') && !is_expired

/** Returns the newest proposal of a grant with this name. */
export async function findProposal(
  reader: SchoolReader,
  { grantId, name }: { grantId: string; name: string },
): Promise<Proposal | undefined> {
  return await selectProposals(reader).where('grant_id', '=', grantId).where('name', '=', name).limit(1).executeTakeFirst()
}

/** Returns the newest proposals of a grant. */
export async function listProposals(reader: SchoolReader, { grantId, limit }: { grantId: string; limit: number }): Promise<Proposal[]> {
  return await selectProposals(reader).where('grant_id', '=', grantId).where('name', 'is not', null).limit(limit).execute()
}

/** A proposal that was submitted, as a person sees it. */
export interface OwnProposal extends Proposal {
  /** False for one about which another owner or admin decides. */
  may_decide: boolean
}

const ownProposals = (reader: SchoolReader, accountId: string) =>
  selectProposals(reader)
    .select((row) => row.cast<boolean>(mayDecide(row, accountId), 'boolean').as('may_decide'))
    .where((row) => maySee(row, accountId))
    .where('proposal.status', '<>', 'draft')

/** Returns the newest proposals that a person sees: those that wait, and those that were decided. */
export async function listOwnProposals(
  reader: SchoolReader,
  { accountId, limit }: { accountId: string; limit: number },
): Promise<OwnProposal[]> {
  return await ownProposals(reader, accountId).limit(limit).execute()
}

/** Returns a proposal that a person sees. */
export async function findOwnProposal(
  reader: SchoolReader,
  { accountId, id }: { accountId: string; id: string },
): Promise<OwnProposal | undefined> {
  return await ownProposals(reader, accountId).where('proposal.id', '=', id).executeTakeFirst()
}

/** Returns the number of proposals about which a person can decide now. */
export async function countWaiting(reader: SchoolReader, accountId: string): Promise<number> {
  const { count } = await reader
    .selectFrom('proposal')
    .innerJoin('oidc_grant', 'oidc_grant.id', 'proposal.grant_id')
    .select((row) => row.cast<number>(row.fn.countAll(), 'int4').as('count'))
    .where('proposal.status', '=', 'submitted')
    .where('proposal.expires_at', '>', now)
    .where(isLiveGrant)
    .where((row) => mayDecide(row, accountId))
    .executeTakeFirstOrThrow()
  return count
}

/** Returns the requests of a proposal in their order. */
export async function requestsOf(reader: SchoolReader, proposalId: string): Promise<StoredRequest[]> {
  return await reader
    .selectFrom('proposal_request')
    .select(['position', 'operation', 'fingerprint', 'size', 'sealed', 'response', 'status'])
    .where('proposal_id', '=', proposalId)
    .orderBy('position')
    .$narrowType<{ status: StoredRequest['status'] }>()
    .execute()
}

/** Returns the last time that the app asked for the same single request: while it waits, and for a day after the decision. */
export async function findAsked(
  reader: SchoolReader,
  { grantId, fingerprint }: { grantId: string; fingerprint: string },
): Promise<(Proposal & Pick<StoredRequest, 'sealed' | 'response'>) | undefined> {
  return await selectProposals(reader)
    .innerJoin('proposal_request', 'proposal_request.proposal_id', 'proposal.id')
    .select(['proposal_request.sealed', 'proposal_request.response'])
    .where('grant_id', '=', grantId)
    .where('name', 'is', null)
    .where('fingerprint', '=', fingerprint)
    .where((row) =>
      row.or([
        row.and([row('proposal.status', '=', 'submitted'), row('proposal.expires_at', '>', now)]),
        row.and([row('proposal.status', 'in', ['merged', 'refused']), row('decided_at', '>', secondsAgo(decisionSeconds))]),
      ]),
    )
    .limit(1)
    .executeTakeFirst()
}

export interface NewProposal {
  grantId: string
  /** Null for a single request about which a person decides: it is submitted immediately. */
  name: string | null
}

/** Stores a proposal. Returns its id and end, or why the app may not have another one: too many are open or wait, or were refused within a day. */
export async function createProposal(
  writer: SchoolWriter,
  { grantId, name }: NewProposal,
): Promise<{ id: string; expires_at: Date } | { excess: 'open' | 'refused' }> {
  const isAsk = name === null
  const { open, refused } = await writer
    .selectFrom('proposal')
    .select((row) => {
      const isSame = row('name', isAsk ? 'is' : 'is not', null)
      const isUndecided = row.and([isSame, row('status', 'in', ['draft', 'submitted']), row('expires_at', '>', now)])
      const wasRefused = row.and([isSame, row('status', '=', 'refused'), row('decided_at', '>', secondsAgo(decisionSeconds))])
      return [
        row.cast<number>(row.fn.countAll().filterWhere(isUndecided), 'int4').as('open'),
        row.cast<number>(row.fn.countAll().filterWhere(wasRefused), 'int4').as('refused'),
      ]
    })
    .where('grant_id', '=', grantId)
    .executeTakeFirstOrThrow()
  if (refused >= maxRefused) return { excess: 'refused' }
  if (open >= (isAsk ? maxWaiting : maxOpen)) return { excess: 'open' }
  const id = newEntryId()
  return await writer
    .insertInto('proposal')
    .values({
      ...{ school_id: writer.schoolId, id, grant_id: grantId, name },
      status: isAsk ? 'submitted' : 'draft',
      expires_at: secondsFromNow(isAsk ? askSeconds : proposalSeconds),
    })
    .returning(['id', 'expires_at'])
    .executeTakeFirstOrThrow()
}

export type NewRequest = Pick<StoredRequest, 'position' | 'operation' | 'fingerprint' | 'size'> & {
  proposalId: string
  sealed: string
  isDeletion: boolean
}

export async function addRequest(writer: SchoolWriter, { proposalId, isDeletion, ...request }: NewRequest): Promise<void> {
  await writer
    .insertInto('proposal_request')
    .values({ school_id: writer.schoolId, proposal_id: proposalId, ...request })
    .execute()
  if (isDeletion) await noteDeletion(writer, proposalId)
}

/** Removes a request of a draft. Returns false if it has none with this position. */
export async function removeRequest(
  writer: SchoolWriter,
  { proposalId, position }: { proposalId: string; position: number },
): Promise<boolean> {
  const removed = await writer
    .deleteFrom('proposal_request')
    .where('proposal_id', '=', proposalId)
    .where('position', '=', position)
    .returning('position')
    .executeTakeFirst()
  return removed !== undefined
}

/**
 * Changes the status of a proposal, and locks it until the transaction ends. Returns false if it has another status, has expired, or is being
 * decided.
 */
export async function moveProposal(
  writer: SchoolWriter,
  { id, from, to }: { id: string; from: readonly ProposalStatus[]; to: ProposalStatus },
): Promise<boolean> {
  const locked = await writer
    .selectFrom('proposal')
    .select('id')
    .where('id', '=', id)
    .where('status', 'in', from)
    .where('expires_at', '>', now)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!locked) return false
  const isDecided = to === 'merged' || to === 'refused'
  await writer
    .updateTable('proposal')
    .set({ status: to, ...(isDecided && { decided_at: now }) })
    .where('id', '=', id)
    .execute()
  return true
}

/** Stores what became of the requests of a merged proposal: the sealed responses of those that were made, by their positions. */
export async function storeOutcome(writer: SchoolWriter, proposalId: string, responses: ReadonlyMap<number, string>): Promise<void> {
  await writer.updateTable('proposal_request').set({ status: 'left_out' }).where('proposal_id', '=', proposalId).execute()
  const [positions, texts] = [[...responses.keys()], [...responses.values()]]
  const made = unnest('made', { position: { type: 'int', values: positions }, response: { type: 'text', values: texts } })
  await writer
    .updateTable('proposal_request')
    .from(made)
    .set(({ cast, ref }) => ({ status: 'merged', response: cast<string>(ref('made.response'), 'text') }))
    .where('proposal_id', '=', proposalId)
    .whereRef('proposal_request.position', '=', 'made.position')
    .execute()
}

/** Ends the open proposals of grants. */
export async function endProposals(writer: Writer, schoolId: string, grantIds: readonly string[]): Promise<void> {
  await writer
    .updateTable('proposal')
    .set({ status: 'ended' })
    .where('school_id', '=', schoolId)
    .where('grant_id', 'in', grantIds)
    .where('status', 'in', ['draft', 'submitted'])
    .execute()
}
