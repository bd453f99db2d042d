import { setTimeout as delay } from 'node:timers/promises'
import type { Metrics } from '../../base/http/metrics.ts'
import type { Keyring } from '../../base/keyring.ts'
import type { Database } from '../../database/connection/database.ts'
import { countSealed, lostOf, neededOf, olderOf, type SealedCount } from '../../database/statements/sealedColumns.ts'

export interface SealedCheck {
  /** @throws Error if there is anything lasting that no secret opens */
  check(): Promise<void>
  /** The values for which the older secrets are needed, in words. Empty before the first count. */
  summary(): { older_secrets: string[] }
  /** Publishes the figures of the last count. */
  collect(metrics: Pick<Metrics, 'collect'>): void
}

/** Readiness asks often, and the count reads every row. */
const freshMs = 3_600_000
/** The first answer waits this long for the count. */
const timeoutMs = 1500

/** Counts what SECRET_KEY opens in the background, once an hour. What ends by itself within a month does not count as lost. */
export function createSealedCheck(database: Pick<Database, 'sql'>, keyring: Keyring): SealedCheck {
  let counts: SealedCount[] = []
  let countedAt = Number.NEGATIVE_INFINITY
  let running: Promise<void> | undefined
  const count = async (): Promise<void> => {
    try {
      counts = await countSealed(database.sql, keyring, { isLasting: keyring.secretIds.length === 1 })
      countedAt = performance.now()
    } finally {
      running = undefined
    }
  }
  return {
    async check() {
      if (performance.now() - countedAt > freshMs) {
        running ??= count()
        running.catch(() => undefined)
        await Promise.race([running, delay(timeoutMs, undefined, { ref: false })])
      }
      const lost = lostOf(counts.filter(({ isBrief }) => !isBrief))
      if (lost !== '') throw new Error(explainLoss(lost))
    },
    collect: (metrics) =>
      metrics.collect((set) => {
        const total = (of: (count: SealedCount) => number): number => counts.reduce((sum, count) => sum + of(count), 0)
        set(
          'schoolgate_sealed_values',
          { opened_by: 'newest' },
          total(({ bySecret }) => bySecret[0] ?? 0),
        )
        set('schoolgate_sealed_values', { opened_by: 'older' }, total(olderOf))
        set(
          'schoolgate_sealed_values',
          { opened_by: 'none' },
          total(({ lost }) => lost),
        )
      }),
    summary: () => ({ older_secrets: keyring.secretIds.slice(1).map((_, index) => neededOf(counts, index + 1)) }),
  }
}

export const explainLoss = (lost: string): string =>
  `SECRET_KEY no longer opens ${lost}. Add the secret that was removed: SECRET_KEY=new,old`
