import type { CallMap } from './callMap.ts'
import type { Mutant } from './mutants.ts'
import type { Workspace } from './workspace.ts'

export const outcomes = ['killed', 'survived', 'untested', 'unclear'] as const

export interface Judgement {
  mutant: Mutant
  outcome: (typeof outcomes)[number]
  /** The test that failed, or how many test files passed. */
  evidence: string
  /** The test files of a failed run; only the first that failed, if the run has a report. */
  failed: readonly string[]
}

/** Which test files run on a mutant: first the best few, then, if they all pass, more. */
export interface Choice {
  /** Files that are tried before all others. */
  named: readonly string[]
  first: number
  second: number
}

/** Runs tests on a mutant, until one fails. */
export async function judge(
  mutant: Mutant,
  map: CallMap,
  workspace: Workspace,
  { named, first: size, second }: Choice,
): Promise<Judgement> {
  const tests = [...new Set([...named, ...map.testsOf(mutant)])].slice(0, size + second)
  if (tests.length === 0) return { mutant, outcome: 'untested', evidence: 'no test calls it', failed: [] }
  for (const batch of [tests.slice(0, size), tests.slice(size)].filter(({ length }) => length > 0)) {
    const { passed, failures } = await workspace.runMutant(mutant, batch)
    if (passed) continue
    const [first] = failures
    if (first) return { mutant, outcome: 'killed', evidence: `${first.test} > ${first.name}`, failed: [first.test] }
    return { mutant, outcome: 'killed', evidence: `no result within the time limit: ${batch.join(' ')}`, failed: batch }
  }
  return { mutant, outcome: 'survived', evidence: `${tests.length} test files pass: ${tests.join(' ')}`, failed: [] }
}

/** Runs the tests that killed once without a mutant. A test that fails then as well does not detect the mutant: its kills become unclear. */
export async function verifyKills(judgements: readonly Judgement[], workspace: Workspace): Promise<Judgement[]> {
  const killers = [...new Set(judgements.flatMap(({ failed }) => failed))]
  const failing = new Set(killers.length > 0 ? await workspace.findFailing(killers) : [])
  return judgements.map((one) => (one.failed.some((test) => failing.has(test)) ? { ...one, outcome: 'unclear' } : one))
}
