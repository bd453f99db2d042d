import type { SeededRandom } from '../../seededRandom.ts'
import type { Installation } from '../installation.ts'
import type { Allowance } from '../judge.ts'
import type { Forgotten } from '../monitor.ts'

/** A failure, and what the service promises while it lasts. */
export interface Failure {
  name: string
  /** How it is caused, and how it is undone. */
  cause: string
  undo: string
  /** The responses, in addition to success, that callers may get until the service is ready again. */
  allowed: Allowance
  /** The data that may be lost, as docs/deploy.md says. */
  forgets?: Forgotten
  /** How long it lasts before it is undone, in milliseconds. */
  holdMs: number
  /** Returns why this machine does not permit it. */
  skipped?(installation: Pick<Installation, 'disks'>): string | undefined
  /** Causes it. Returns what undoes it. */
  run(installation: Installation, random: SeededRandom): Promise<() => Promise<unknown>>
}

export const nothing: Allowance = { refused: false, broken: false }
export const rejections: Allowance = { refused: true, broken: false }
export const anyFailure: Allowance = { refused: true, broken: true }

/** Says what is allowed, for the table. */
export const allowanceText = ({ allowed: { refused, broken }, forgets }: Failure): string =>
  [
    ...(refused || broken ? [] : ['success only']),
    ...(refused ? ['503'] : []),
    ...(broken ? ['broken connections'] : []),
    ...(forgets === 'redis' ? ['401 for access tokens, codes and sessions from before'] : []),
    ...(forgets === 'checkouts' ? ['409 for checkouts from before'] : []),
  ].join('; ')
