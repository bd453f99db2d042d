import type { SeededRandom } from '../../seededRandom.ts'
import type { Target } from '../installation.ts'
import type { Ledger } from '../ledger.ts'
import type { Monitor } from '../monitor.ts'
import type { Sender, Sending, Sent } from '../send.ts'
import type { Callers } from './callers.ts'

/** Everything that a kind of load works with. */
export interface LoadContext extends Sender {
  installation: Target
  ledger: Ledger
  monitor: Monitor
  random: SeededRandom
  callers: Callers
  /** Sends a request with the token of a role, repeats it until it is answered, and gets a new token if Redis has lost the old one. */
  as(role: string, sending: Sending): Promise<Sent & { tries: number }>
}

/** One kind of load. Each step is complete in itself. */
export interface LoadKind {
  name: string
  /** Number of loops that run at the same time. */
  loops: number
  /** Least time between the starts of two steps of a loop. */
  everyMs: number
  step(): Promise<void>
}
