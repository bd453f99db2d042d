import { setTimeout } from 'node:timers/promises'
import { accountApprovalPath } from '../../base/accountPaths.ts'
import type { Caller, PersonCaller } from '../../base/caller.ts'
import { toPublicId, withIds } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolReader, SchoolWriter } from '../../database/connection/database.ts'
import { rolledBackIn, within } from '../../database/connection/dryRun.ts'
import { lockByName } from '../../database/connection/lockByName.ts'
import {
  addRequest,
  createProposal,
  findProposal,
  isOpen,
  type Proposal,
  requestsOf,
  type StoredRequest,
} from '../../database/tables/proposals.ts'
import type { ApiResponse, RequestInput, RunContext } from '../call.ts'
import { isStreamed, type Operation } from '../declare/operations.ts'
import type { Run } from '../run.ts'
import { isDeletion } from './askReasons.ts'
import { isWrite, type Measure, reported, takesDryRun } from './dryRun.ts'
import type { ShowRequests } from './dryRunReport.ts'
import { parseKey } from './idempotency.ts'
import { contentOf, hashOf, type Replay, type Replayed, readOnce, sealedOf, type WithStore } from './replay.ts'

/** The most requests of a proposal, and bytes of their contents. */
const [maxRequests, maxBytes] = [100, 4_194_304]
const pollMilliseconds = 500

/**
 * Returns the value of the header `Proposal`.
 * @throws Problem invalid_request
 */
export function parseProposal(header: string): string | undefined {
  if (header === '') return undefined
  if (!/^[\x21-\x7e]{1,64}$/.test(header)) throw invalid('must be a name of 1 to 64 visible ASCII characters')
  return header
}

/** Returns how long a client would wait, by its header `Prefer` (RFC 7240 section 4.3): at most 20 seconds. */
export function parseWait(header: string): number | undefined {
  const [, seconds] = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,6})/i.exec(header) ?? []
  return seconds === undefined ? undefined : Math.min(Number(seconds), 20)
}

/**
 * Returns `run` with proposals. A write with the header is tried after the earlier ones of its proposal, and added to it; a read sees the school
 * as they would leave it.
 */
export function withProposals(run: Run, plain: Run, { measure, replay }: { measure: Measure; replay: Replay }): Run {
  return async (operation, caller, sent, context) => {
    const { proposal: name } = sent
    const { store } = context
    if (name === undefined) {
      const show: ShowRequests | undefined =
        store &&
        (async (as, requests) => {
          const replayed = await replay.show({ ...context, store }, as, requests)
          return replayed.map(({ now, ...one }) => ({ ...one, now: now && { status: now.status, effect: now.entry?.effect } }))
        })
      return await run(operation, caller, sent, operation.kind === 'read' ? { ...context, showRequests: show } : context)
    }
    requireTaken(operation, caller, sent)
    if (!store) throw new Error('a proposal needs a store')
    const proposing = { operation, caller, sent: readOnce(sent), context: { ...context, store }, name }
    if (isWrite(operation)) return await add(proposing, { measure, replay })
    const { proposal, requests } = await openProposal(store.kysely, proposing)
    if (proposal && requests.length === 0) return await plain(operation, caller, sent, context)
    return await rolledBackIn(store, async (writer) => {
      await rerun(replay, proposing, { writer, requests })
      return await plain(operation, caller, sent, { ...context, database: writer, store: within(store, writer) })
    })
  }
}

interface Proposing {
  operation: Operation
  caller: PersonCaller
  sent: RequestInput
  context: WithStore
  name: string
}

/** @throws Problem invalid_request for a request that no proposal can have */
function requireTaken(operation: Operation, caller: Caller, { format = 'json' }: RequestInput): asserts caller is PersonCaller {
  if (caller.kind !== 'person' || caller.clientId === '') throw invalid('needs the access token of an app')
  if (isWrite(operation) && !takesDryRun(operation))
    throw invalid(`cannot contain ${operation.id}, which receives a file: upload it without the header`)
  if (/^\/api\/v1\/account\/(?:proposals|activity)/.test(operation.path) && (isWrite(operation) || operation.id === 'getProposal'))
    throw invalid(`cannot contain ${operation.id}`)
  if (format !== 'json' || isStreamed(operation)) throw invalid('lets requests be read as JSON, not as a file')
}

const invalid = (rule: string): Problem => new Problem('invalid_request', { description: `Proposal ${rule}.` })

async function openProposal(
  reader: SchoolReader,
  { caller: { grantId }, name }: Proposing,
): Promise<{ proposal: Proposal | undefined; requests: StoredRequest[] }> {
  const found = await findProposal(reader, { grantId, name })
  const proposal = found && isOpen(found) ? found : undefined
  return { proposal, requests: proposal ? await requestsOf(reader, proposal.id) : [] }
}

/** @throws Problem invalid_request if a request can no longer be made */
async function rerun(
  replay: Replay,
  { context, caller }: Proposing,
  { writer, requests }: { writer: SchoolWriter; requests: readonly StoredRequest[] },
): Promise<Replayed[]> {
  const replayed = await replay.run(context, caller, { writer, requests })
  for (const { position, problem } of replayed) {
    if (!problem) continue
    throw new Problem('invalid_request', {
      description: `Request ${position} of the proposal can no longer be made: ${problem.code}. Remove it from the proposal.`,
      details: [{ code: problem.code, message: problem.description, meta: { position } }],
    })
  }
  return replayed
}

async function add(proposing: Proposing, { measure, replay }: { measure: Measure; replay: Replay }): Promise<ApiResponse> {
  const { operation, caller, sent, context, name } = proposing
  const { reason, ...content } = await contentOf(operation, sent)
  const key = operation.method === 'POST' ? parseKey(sent.idempotencyKey) : undefined
  const fingerprint = hashOf([operation.id, content, key])
  const size = Buffer.byteLength(JSON.stringify(content))
  return await context.store.transaction(async (writer) => {
    await lockByName(writer, `proposal ${writer.schoolId} ${caller.grantId} ${name}`)
    const { proposal, requests } = await openProposal(writer, proposing)
    if (proposal?.status === 'submitted') throw invalid('was submitted. Wait for the decision of the person, or give it up')
    const known = key === undefined ? undefined : requests.find((one) => one.fingerprint === fingerprint)
    if (!known) requireRoom(requests, size)
    const tried = await rolledBackIn(within(context.store, writer), async () => {
      const replayed = await rerun(replay, proposing, { writer, requests })
      const first = replayed.find(({ position }) => position === known?.position)?.now
      if (first) return { result: first, ids: [] }
      const inside = { ...context, isReplayed: true, database: writer, store: within(context.store, writer) }
      return await withIds([], () => measure(operation, caller, sent, inside, 'replayed'))
    })
    const stored = sealedOf(tried.result, {
      content: { ...content, ...(reason !== undefined && { reason }) },
      ids: tried.ids,
      reason: null,
    })
    const isAdded = !sent.isDryRun && !known && stored !== undefined
    const id = proposal?.id ?? (isAdded ? await newProposal(writer, proposing) : undefined)
    const position = known?.position ?? (requests.at(-1)?.position ?? 0) + 1
    if (isAdded && id !== undefined) {
      const sealed = context.externalServices.approvals.seal(JSON.stringify(stored))
      const request = { position, operation: operation.id, fingerprint, size, sealed }
      await addRequest(writer, { proposalId: id, ...request, isDeletion: isDeletion(stored.effect, caller.role) })
    }
    const proposed = {
      id: id === undefined ? null : toPublicId('apr', id),
      name,
      position: isAdded || known ? position : null,
      requests: requests.length + (isAdded ? 1 : 0),
    }
    return { ...reported(tried.result, caller, { proposal: proposed }), entry: undefined }
  })
}

/** @throws Problem invalid_request for a request that is too much */
function requireRoom(requests: readonly StoredRequest[], size: number): void {
  const total = requests.reduce((sum, one) => sum + one.size, size)
  if (requests.length < maxRequests && total <= maxBytes) return
  throw invalid(`has at most ${maxRequests} requests and 4 MiB of content. Submit it, and begin another one`)
}

async function newProposal(writer: SchoolWriter, { caller: { grantId }, name }: Proposing): Promise<string> {
  await lockByName(writer, `proposals ${writer.schoolId} ${grantId}`)
  const created = await createProposal(writer, { grantId, name })
  if ('id' in created) return created.id
  const description =
    created.excess === 'refused'
      ? 'The person refused three proposals of this app. Do not begin another one today.'
      : 'Ten proposals of this app are open. Submit them, or give them up.'
  throw new Problem('access_denied', { description })
}

/** Waits until a proposal is decided, at most so many seconds. */
export async function untilDecided(
  { database }: Pick<RunContext, 'database'>,
  { id, waitSeconds = 0 }: { id: string; waitSeconds: number | undefined },
): Promise<void> {
  const until = performance.now() + waitSeconds * 1000
  while (performance.now() < until && (await isWaiting(database, id))) await setTimeout(pollMilliseconds)
}

async function isWaiting(reader: SchoolReader, id: string): Promise<boolean> {
  const found = await reader.selectFrom('proposal').select('id').where('id', '=', id).where('status', '=', 'submitted').executeTakeFirst()
  return found !== undefined
}

/** Returns the address of the page on which a person decides. */
export const proposalUrl = (issuer: string, id: string): string => `${issuer}${accountApprovalPath(toPublicId('apr', id))}`
