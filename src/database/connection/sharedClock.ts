import type { Database } from './database.ts'

/**
 * The time of the database, which all processes of an installation share. What one process issues and another one judges expires by this
 * time, so that a process whose clock is wrong works as well.
 */
export interface SharedClock {
  /** Milliseconds of the epoch. */
  now(): number
  /** By how many seconds the clock of this machine is ahead of the database's; negative if it is behind. */
  aheadSeconds(): number
  /** Compares the clocks. The former difference stays if the database takes too long to answer. */
  measure(): Promise<void>
}

/** Smaller differences are not corrected: the answer of the database takes some time itself. */
const leastMs = 500
/** An answer that took longer says too little about the clock. */
const longestRoundTripMs = 2000

export function createSharedClock(database: Pick<Database, 'kind' | 'sql'>, system: () => number = Date.now): SharedClock {
  let aheadMs = 0
  return {
    now: () => system() - aheadMs,
    aheadSeconds: () => aheadMs / 1000,
    async measure() {
      const sent = system()
      const [row] = await database.sql.query<{ at: string }>('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::text AS at')
      const received = system()
      const roundTripMs = received - sent
      if (roundTripMs < 0 || roundTripMs > longestRoundTripMs) return
      const measured = (sent + received) / 2 - Number(row?.at)
      aheadMs = Math.abs(measured) < Math.max(leastMs, roundTripMs) ? 0 : measured
    },
  }
}
