import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import { moveProposal, requestsOf, storeOutcome } from '../../database/tables/proposals.ts'
import { newJointActivity } from './activity.ts'
import { isDeletion } from './askReasons.ts'
import { effectHash, type Replay, type Replayed, type StoredReply, type WithStore } from './replay.ts'
import { endJoint } from './undo.ts'

export interface Merge {
  proposalId: string
  /** The positions of the requests that the person chose. */
  positions: ReadonlySet<number>
  /** The hash of the effects that the person saw. */
  seen: string
  /** The account of the person who decides. */
  decidedBy: string
}

/** True if another owner or admin than the person of the app decides about requests with these effects now. */
export const secondDecides = ({ rules, role }: PersonCaller, replayed: readonly Replayed[]): boolean =>
  rules?.needsSecond === true && replayed.some(({ now }) => isDeletion(now?.entry?.effect, role))

/**
 * Makes the chosen requests of a proposal in one transaction, as one activity, with the permissions that the app and its person have now.
 * `changed`: what they do differs from what the person saw, so nothing was done. `late`: it was decided before, or has expired.
 */
export async function mergeProposal(
  context: WithStore,
  caller: PersonCaller,
  { proposalId, positions, seen, decidedBy }: Merge,
  replay: Replay,
): Promise<'merged' | 'changed' | 'late'> {
  const { externalServices: services } = context
  const changed = new Error('the requests have other effects than the person saw')
  try {
    return await context.store.transaction(async (writer) => {
      if (!(await moveProposal(writer, { id: proposalId, from: ['submitted'], to: 'merged' }))) return 'late'
      const requests = (await requestsOf(writer, proposalId)).filter(({ position }) => positions.has(position))
      const joint = requests.length > 1 ? newJointActivity() : undefined
      // The person has seen how much is deleted and overwritten.
      const merging = { ...caller, isWatched: false }
      const made = await replay.run({ ...context, merging: { approvalId: proposalId, ...(joint && { joint }) } }, merging, {
        writer,
        requests,
        isKept: true,
      })
      if (made.length === 0 || made.some(({ problem }) => problem) || effectHash(made) !== seen) throw changed
      // The rule may be new, and so may what the requests delete.
      if (decidedBy === caller.accountId && secondDecides(caller, made)) throw changed
      if (joint) await endJoint(writer, joint, services.undo)
      const replies = made.flatMap(({ position, now }): [number, string][] => {
        if (!now) return []
        const { status, headers, etag, text } = now
        const reply: StoredReply = { status, headers, etag, text }
        return [[position, services.approvals.seal(JSON.stringify(reply))]]
      })
      await storeOutcome(writer, proposalId, new Map(replies))
      return 'merged'
    })
  } catch (error) {
    if (error === changed || (error instanceof Problem && error.status < 500)) return 'changed'
    throw error
  }
}
