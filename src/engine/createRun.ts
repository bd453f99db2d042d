import type { VisitorAnswers } from './call.ts'
import { asksFirstOf, type Operation } from './declare/operations.ts'
import { withVisitorAnswers } from './read/visitorAnswers.ts'
import { type Run, run } from './run.ts'
import { withApprovals } from './write/askFirst.ts'
import { createMeasure, withDryRuns } from './write/dryRun.ts'
import { withProposals } from './write/proposals.ts'
import { createReplay, type Replay } from './write/replay.ts'

/** Returns `run` with dry runs, proposals and the decisions of people, and what runs proposals again. */
export function createRun(
  operations: readonly Operation[],
  { reasonOf = asksFirstOf, visitorAnswers }: { reasonOf?: typeof asksFirstOf | undefined; visitorAnswers?: VisitorAnswers } = {},
): { run: Run; replay: Replay } {
  const measure = createMeasure(run)
  const replay = createReplay(measure, operations)
  const decided = withApprovals(withDryRuns(run, measure), measure, reasonOf)
  const kept = visitorAnswers ? withVisitorAnswers(decided, visitorAnswers) : decided
  return { replay, run: withProposals(kept, run, { measure, replay }) }
}
