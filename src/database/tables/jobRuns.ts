import type { Reader } from '../connection/database.ts'
import { now } from '../statements/expressions.ts'
import { storableJson, storableText } from '../statements/storableText.ts'

export interface JobRun {
  name: string
  everySeconds: number
  startedAt: Date
  /** The counts that the job returned; undefined if it failed. */
  result: Record<string, number> | undefined
  failure: string | undefined
}

/** Longest reason that is stored, in characters. */
const longestFailure = 300

export async function recordJobRun(db: Reader, { name, everySeconds, startedAt, result, failure }: JobRun): Promise<void> {
  const run = { every_seconds: everySeconds, started_at: startedAt, finished_at: now }
  const reason = storableText(failure ?? '').slice(0, longestFailure)
  const outcome = failure === undefined ? { succeeded_at: now, result: storableJson(result ?? {}) } : { failed_at: now, failure: reason }
  await db
    .insertInto('job_run')
    .values({ name, ...run, ...outcome, failures: failure === undefined ? 0 : 1 })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet(({ eb, ref, val }) => ({
        ...run,
        ...outcome,
        failures: failure === undefined ? val(0) : eb(ref('job_run.failures'), '+', 1),
      })),
    )
    .execute()
}
