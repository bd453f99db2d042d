import { Problem } from '../../lib/problem.ts'
import { signalRules } from '../../policy/appSignals.ts'
import type { PersonCaller } from '../../policy/caller.ts'
import { countDeletions, raiseSignal } from '../../store/appSignals.ts'
import type { SchoolDatabase, SchoolWriter } from '../../store/database.ts'
import { lockByName } from '../../store/lockByName.ts'
import type { Activity } from './activity.ts'

const { threshold, pauses } = signalRules.deletions

/** An app would delete more than is usual. Its request is rolled back. */
class TooManyDeletions extends Error {
  readonly counted: number
  constructor(counted: number) {
    super(`${counted} objects deleted within an hour`)
    this.counted = counted
  }
}

/**
 * Counts what an app deletes, within the transaction of its request: deletions of one app are counted one after the other.
 * @throws TooManyDeletions if the school pauses apps that delete so much
 */
export async function requireUsual({
  writer,
  caller,
  activity,
}: {
  writer: SchoolWriter
  caller: PersonCaller
  activity: Activity
}): Promise<void> {
  if (caller.isWatched !== true || !activity.entry?.event.endsWith('.deleted')) return
  await lockByName(writer, `deletions ${writer.schoolId} ${caller.clientId}`)
  const counted = await countDeletions(writer, caller.clientId)
  if (counted > threshold) throw new TooManyDeletions(counted)
}

/** Pauses an app that would delete too much, and returns the error for its request; other errors are returned as they are. */
export async function pauseUnusual(error: unknown, { store, clientId }: { store: SchoolDatabase; clientId: string }): Promise<unknown> {
  if (!(error instanceof TooManyDeletions)) return error
  const { counted } = error
  await store.transaction((writer) => raiseSignal(writer, { client_id: clientId, kind: 'deletions', counted, threshold, pauses }))
  return new Problem('access_denied', {
    description: `The school pauses apps that delete more than ${threshold} objects within an hour, so this app is paused and nothing was deleted now. Keep the tokens, and repeat the request when an owner or admin of the school has continued the app.`,
  })
}
