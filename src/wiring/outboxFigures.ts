import type { OutboxArguments, OutboxOutcome } from '../jobs/outbox/outboxWorker.ts'
import { type OutboxFigures, outboxFigures as readFigures } from '../store/outbox/outboxFigures.ts'
import { outboxKinds } from '../store/outbox/outboxKinds.ts'
import type { Foundation } from './foundation.ts'

const outcomes: readonly OutboxOutcome[] = ['delivered', 'retried', 'dead']

/** Creates the metrics of the outbox, and returns the function that counts its attempts. */
export function outboxFigures({
  metrics,
  background,
}: Pick<Foundation, 'metrics' | 'background'>): NonNullable<OutboxArguments['onOutcome']> {
  metrics.begin(
    'schoolgate_outbox_attempts_total',
    outboxKinds.flatMap((kind) => outcomes.map((outcome) => ({ kind, outcome }))),
  )
  // The former figures stay while the database does not respond.
  let latest: readonly OutboxFigures[] = outboxKinds.map((kind) => ({ kind, pending: 0, oldestSeconds: 0, dead: 0 }))
  metrics.collect(async (set) => {
    latest = await readFigures(background.kysely).catch(() => latest)
    for (const { kind, pending, oldestSeconds, dead } of latest) {
      set('schoolgate_outbox_pending', { kind }, pending)
      set('schoolgate_outbox_oldest_seconds', { kind }, oldestSeconds)
      set('schoolgate_outbox_dead', { kind }, dead)
    }
  })
  return (kind, outcome) => metrics.add('schoolgate_outbox_attempts_total', { kind, outcome })
}
