import type { Fact } from './fact.ts'

/**
 * Marks changes of facts for every process that keeps them in memory. A change is marked as busy before its transaction commits, and gets a
 * fresh version after the commit and before it is acknowledged.
 */
export interface FactMarkers {
  /** Marks the facts as busy: no process uses or keeps them until the change has ended, or for `busySeconds` if its process dies. */
  begin(facts: readonly Fact[]): Promise<MarkedChange>
}

export interface MarkedChange {
  /** Gives the facts a fresh version. Not called if it is unknown whether the transaction was committed. */
  end(): Promise<void>
}

/** How long a process keeps a fact, counted from the moment when it read the version. */
export const keptSeconds = 20
/** Longer than any process keeps a fact: what was kept before a process died within its change is forgotten by then. */
export const busySeconds = 30
/** Versions are forgotten after this time. No process can hold an earlier version of the fact then. */
export const versionSeconds = 60
/** Without an epoch nothing is kept, and the next one is new. */
export const epochSeconds = 86_400
