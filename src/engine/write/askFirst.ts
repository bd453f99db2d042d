import type { Caller, PersonCaller } from '../../base/caller.ts'
import { toPublicId, withIds } from '../../base/ids.ts'
import { Problem } from '../../base/problem.ts'
import { lockByName } from '../../database/connection/lockByName.ts'
import { addRequest, createProposal, findAsked, moveProposal } from '../../database/tables/proposals.ts'
import type { Effect } from '../../database/undo/effect.ts'
import type { ApiResponse, RunContext } from '../call.ts'
import type { asksFirstOf, Operation } from '../declare/operations.ts'
import type { Run } from '../run.ts'
import { askReason, isDeletion, isTriedFirst } from './askReasons.ts'
import { type Measure, reported, takesDryRun } from './dryRun.ts'
import { isAnswered, keyedBy, parseKey } from './idempotency.ts'
import { proposalUrl, untilDecided } from './proposals.ts'
import { contentOf, hashOf, openRequest, readOnce, type SealedRequest, type StoredReply, sealedOf, type WithStore } from './replay.ts'
import { TooLargeToUndo } from './undo.ts'
import { figuresOf } from './visibleChanges.ts'

const repeatSeconds = 5

/**
 * Returns `run` with the decisions of people. For a grant whose person wants to decide, a write that cannot be undone is tried first, becomes a
 * proposal of one request, and is refused with the address of the page on which they decide. The service makes it when they agree; an app that
 * repeats it gets the response. A write that is too large to be taken back later needs a decision for every grant. `reasonOf` returns the
 * reason for which every request of an operation asks.
 */
export function withApprovals(run: Run, measure: Measure, reasonOf: typeof asksFirstOf): Run {
  return async (operation, caller, sent, context) => {
    const { store } = context
    if (!isOfApp(operation, caller) || !store) return await run(operation, caller, sent, context)
    const request = readOnce(sent)
    const identified = async (): Promise<AskedRequest> => {
      const { reason: _reason, ...identity } = await contentOf(operation, request)
      const key = operation.method === 'POST' ? parseKey(request.idempotencyKey) : undefined
      return { operation, caller, context: { ...context, store }, fingerprint: hashOf([operation.id, identity, key]) }
    }
    if (!isTriedFirst(caller) && !sent.isDryRun) {
      const done = await unlessRefused(() => run(operation, caller, request, context))
      if (!(done instanceof Problem)) return done
      // A write that could not be taken back because of its size: the person decides about it in any case, and it may be done by now.
      const asked = done instanceof TooLargeToUndo ? undefined : await identified().catch(() => undefined)
      const reply = asked && (await replyTo(asked, undefined))
      if (reply) return reply
      if (!(done instanceof TooLargeToUndo)) throw done
    }
    const asked = await identified()
    if (!sent.isDryRun) {
      const reply = await replyTo(asked, sent.waitSeconds)
      if (reply) return reply
      // A stored response needs no decision. Should it expire meanwhile, the request changes nothing.
      const keyed = { schoolId: context.school.id, id: keyedBy(operation, caller, request) }
      if (await isAnswered(context.database, keyed)) return await run(operation, caller, { ...request, isRepeated: true }, context)
    }
    const { result: tried, ids } = await withIds([], () => measure(operation, caller, request, asked.context, 'tried'))
    const content = await contentOf(operation, request)
    const reason = tried.entry && askReason(caller, { declared: reasonOf(operation), entry: tried.entry, body: content.body })
    if (sent.isDryRun) return reported(tried, caller, { asks: reason ? { reason } : null })
    const stored = reason && sealedOf(tried, { content, ids, reason })
    if (!stored) return await run(operation, caller, request, context)
    throw await ask(asked, stored)
  }
}

/** True for a write of an app, about which a person can decide first. */
const isOfApp = (operation: Operation, caller: Caller): caller is PersonCaller =>
  caller.kind === 'person' && caller.clientId !== '' && takesDryRun(operation)

async function unlessRefused(write: () => Promise<ApiResponse>): Promise<ApiResponse | Problem> {
  try {
    return await write()
  } catch (error) {
    if (error instanceof Problem && error.status < 500) return error
    throw error
  }
}

interface AskedRequest {
  operation: Operation
  caller: PersonCaller
  context: WithStore
  fingerprint: string
}

/**
 * Returns the response to a request that the person agreed to.
 * @throws Problem approval_required while they have not decided; access_denied if they refused
 */
async function replyTo({ caller, context, fingerprint }: AskedRequest, waitSeconds: number | undefined): Promise<ApiResponse | undefined> {
  const find = () => findAsked(context.database, { grantId: caller.grantId, fingerprint })
  let found = await find()
  if (found?.status === 'submitted' && waitSeconds !== undefined) {
    await untilDecided(context, { id: found.id, waitSeconds })
    found = await find()
  }
  if (!found) return undefined
  if (found.status === 'refused') throw refused()
  const stored = openRequest(context, found.sealed)
  if (found.status === 'submitted') return undefined
  const text = found.response === null ? undefined : context.externalServices.approvals.open(found.response)
  if (!stored || text === undefined) return undefined
  const { headers, ...reply }: StoredReply = JSON.parse(text)
  return { ...reply, body: reply.text === '' ? {} : JSON.parse(reply.text), headers: { ...headers, 'Idempotent-Replayed': 'true' } }
}

/** Stores a request about which the person decides, unless it waits already. Returns the error for the app, with the address of the page. */
async function ask({ operation, caller, context, fingerprint }: AskedRequest, stored: SealedRequest): Promise<Problem> {
  const { approvals } = context.externalServices
  const { grantId } = caller
  const asked = await context.store.transaction(async (writer) => {
    // Requests of an app take turns here, so that the person is asked once, and only so many requests wait.
    await lockByName(writer, `asks ${writer.schoolId} ${grantId}`)
    const found = await findAsked(writer, { grantId, fingerprint })
    if (found?.status === 'refused') return 'refused'
    if (found?.status === 'submitted') {
      if (openRequest(context, found.sealed)) return found
      await moveProposal(writer, { id: found.id, from: ['submitted'], to: 'ended' })
    }
    const created = await createProposal(writer, { grantId, name: null })
    if ('excess' in created) return created.excess
    const { content } = stored
    const request = { position: 1, operation: operation.id, fingerprint, size: Buffer.byteLength(JSON.stringify(content)) }
    await addRequest(writer, {
      proposalId: created.id,
      ...request,
      sealed: approvals.seal(JSON.stringify(stored)),
      isDeletion: isDeletion(stored.effect, caller.role),
    })
    return { id: created.id, expires_at: created.expires_at }
  })
  if (asked === 'refused') return refused()
  if (asked !== 'open') return approvalRequired(asked, context, stored.effect)
  return new Problem('access_denied', {
    description: 'Too many requests of this app wait for the decision of the person. Wait until they have decided.',
  })
}

const refused = (): Problem => new Problem('access_denied', { description: 'The person refused. Do not ask again today.' })

function approvalRequired({ id, expires_at }: { id: string; expires_at: Date }, { school }: RunContext, effect: Effect): Problem {
  const { affected, emails } = figuresOf(effect)
  const url = proposalUrl(school.issuer, id)
  return new Problem('approval_required', {
    description: `The person decides about this first. Give them this address: ${url} Then send the same request again.`,
    headers: { 'Retry-After': String(repeatSeconds), Link: `<${url}>; rel="approval"` },
    details: [
      {
        code: 'approval_required',
        message: 'The person decides on this page. Nothing else approves the request.',
        meta: { id: toPublicId('apr', id), url, status: 'pending', expires_at: expires_at.toISOString(), affected, emails },
      },
    ],
  })
}
