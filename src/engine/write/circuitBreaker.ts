import type { PersonCaller } from '../../base/caller.ts'
import { Problem } from '../../base/problem.ts'
import type { SchoolDatabase, SchoolWriter } from '../../database/connection/database.ts'
import { lockByName } from '../../database/connection/lockByName.ts'
import { countLosses, type LossKind, lossKinds, raiseSignal } from '../../database/tables/appSignals.ts'
import { signalRules } from '../../database/tables/signals.ts'
import type { Activity } from './activity.ts'

const verbs: Record<LossKind, string> = { deletions: 'delete', overwrites: 'overwrite' }

/** An app would delete or overwrite more than is usual. Its request is rolled back. */
class UnusualLoss extends Error {
  readonly kind: LossKind
  readonly counted: number
  constructor(kind: LossKind, counted: number) {
    super(`${counted} objects within an hour: ${kind}`)
    this.kind = kind
    this.counted = counted
  }
}

/**
 * Counts the objects that an app deletes and overwrites, within the transaction of its request: such requests of one app are counted one after
 * the other.
 * @throws UnusualLoss if the school pauses apps that delete or overwrite so much
 */
export async function requireUsual({
  writer,
  caller,
  activity: { entry },
}: {
  writer: SchoolWriter
  caller: PersonCaller
  activity: Activity
}): Promise<void> {
  if (caller.isWatched !== true) return
  const { deleted = 0, overwritten = 0 } = entry?.effect?.losses ?? {}
  if (deleted + overwritten === 0) return
  await lockByName(writer, `deletions ${writer.schoolId} ${caller.clientId}`)
  const counts = await countLosses(writer, caller.clientId)
  for (const kind of lossKinds) if (counts[kind] > signalRules[kind].threshold) throw new UnusualLoss(kind, counts[kind])
}

/** Pauses an app that would delete or overwrite too much, and returns the error for its request; other errors are returned as they are. */
export async function pauseUnusual(error: unknown, { store, clientId }: { store: SchoolDatabase; clientId: string }): Promise<unknown> {
  if (!(error instanceof UnusualLoss)) return error
  const { kind, counted } = error
  const { threshold, pauses } = signalRules[kind]
  await store.transaction((writer) => raiseSignal(writer, { client_id: clientId, kind, counted, threshold, pauses }))
  return new Problem('access_denied', {
    description: `The school pauses apps that ${verbs[kind]} more than ${threshold} objects within an hour, so this app is paused and nothing was changed now. Keep the tokens, and repeat the request when an owner or admin of the school has continued the app.`,
  })
}
