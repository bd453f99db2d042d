import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../test/support/poll.ts'
import { createJudge } from '../fuzz/judge.ts'
import type { OpenApi } from '../fuzz/openApiTargets.ts'
import { createRandom, type SeededRandom } from '../seededRandom.ts'
import type { Failure } from './failures/failure.ts'
import { type Installation, startInstallation } from './installation.ts'
import { createLedger, type Ledger } from './ledger.ts'
import { createLoad, type Load } from './load/load.ts'
import { type Counts, createMonitor, type Monitor, type SoakProblem } from './monitor.ts'
import { createVerify, type Verify } from './verify.ts'

export interface SoakOptions {
  minutes: number
  seed: number
  /** The failures to cause. Those that the machine does not permit are skipped. */
  failures: readonly Failure[]
  /** Changes the model once, to see that the run reports it. */
  plant?: ((ledger: Ledger) => void) | undefined
  /** The folder of the programs of PostgreSQL. */
  programs: string
  say(line: string): void
  /** Receives the function that stops everything, for a run that is interrupted. */
  onStart?(stop: () => Promise<void>): void
}

export interface FailureRun {
  failure: Failure
  counts: Counts
  /** Milliseconds from the beginning of the undoing, such as the start of a server, until both processes were ready. */
  readyMs: number
  /** How many things were compared afterwards. */
  compared: number
  problems: number
}

export interface SoakReport {
  runs: readonly FailureRun[]
  skipped: readonly { failure: Failure; reason: string }[]
  problems: readonly SoakProblem[]
  total: Counts
  undisturbed: Monitor['undisturbed']
  ledger: Ledger
  seconds: number
}

/** Longest time from one failure to the next. */
export const everyMs = 30_000
/** Requests of this time after readiness may still get what the failure allows: nginx avoids a process for two seconds. */
const graceMs = 3000
const readyDeadlineMs = 90_000

/** Runs the load and causes the failures. */
export async function soak(options: SoakOptions): Promise<SoakReport> {
  const { minutes, seed, failures, plant, programs, say } = options
  const random = createRandom(`failures ${seed}`)
  const ledger = createLedger()
  const installation = await startInstallation(programs, ledger)
  options.onStart?.(installation.stop)
  try {
    const monitor = createMonitor(createJudge(await readDocument(installation), []), ({ text }) => say(`PROBLEM ${text}`))
    const load = await createLoad({ installation, ledger, monitor, seed })
    const verify = createVerify(load, seed)
    const skipped = failures.flatMap((failure) => {
      const reason = failure.skipped?.(installation)
      return reason === undefined ? [] : [{ failure, reason }]
    })
    for (const { failure, reason } of skipped) say(`SKIPPED ${failure.name}: ${reason}`)
    const possible = failures.filter((failure) => skipped.every((one) => one.failure !== failure))
    const runs: FailureRun[] = []
    const start = performance.now()
    load.resume()
    await delay(5000)
    const plan = schedule(possible, minutes * 60_000, random)
    const periodMs = Math.min(everyMs, (minutes * 60_000) / plan.length)
    for (const [index, failure] of plan.entries()) {
      const next = start + 5000 + index * periodMs
      await delay(Math.max(0, next - performance.now()))
      const before = monitor.problems.length
      const run = await cause(failure, { installation, monitor, random })
      await settle(load, verify, false).then((compared) => Object.assign(run, { compared }))
      if (index === 0) plant?.(ledger)
      runs.push({ ...run, problems: monitor.problems.length - before })
      const { answered, refused, lost } = run.counts
      const outcome = `${answered} answered, ${refused} refused, ${lost} lost; ready after ${(run.readyMs / 1000).toFixed(1)} s`
      say(`${clock(start)} ${failure.name}: ${outcome}; ${run.compared} compared, ${monitor.problems.length - before} problems`)
      load.resume()
    }
    await delay(Math.max(0, start + minutes * 60_000 - performance.now()))
    if (plan.length === 0) plant?.(ledger)
    say(`${clock(start)} reading everything back`)
    await settle(load, verify, true)
    await load.stop()
    monitor.finish()
    return {
      runs,
      skipped,
      problems: monitor.problems,
      total: monitor.total,
      undisturbed: monitor.undisturbed,
      ledger,
      seconds: (performance.now() - start) / 1000,
    }
  } finally {
    await installation.stop()
  }
}

/** Returns every failure in random order, again and again for the time: at least once if there are 20 s for each. */
function schedule(failures: readonly Failure[], milliseconds: number, random: SeededRandom): Failure[] {
  if (failures.length === 0) return []
  const rounds = milliseconds / everyMs
  const count = Math.max(1, milliseconds / failures.length >= 20_000 ? Math.max(failures.length, Math.floor(rounds)) : Math.floor(rounds))
  const plan: Failure[] = []
  while (plan.length < count) plan.push(...random.shuffled(failures))
  return plan.slice(0, count)
}

/** Causes a failure, undoes it, and waits until the service is ready. */
async function cause(
  failure: Failure,
  { installation, monitor, random }: { installation: Installation; monitor: Monitor; random: SeededRandom },
): Promise<FailureRun> {
  monitor.take()
  const period = monitor.begin(failure.name, failure.allowed, failure.forgets)
  let undoing = performance.now()
  try {
    const undo = await failure.run(installation, random)
    await delay(failure.holdMs)
    undoing = performance.now()
    await undo()
  } catch (error) {
    monitor.report(`the failure could not be caused and undone: ${String(error)}`, (error as Error).stack)
  }
  await until(() => installation.isReady(), { what: 'ready', deadlineMs: readyDeadlineMs }).catch(() =>
    monitor.report(`not ready ${readyDeadlineMs / 1000} s after the end of the failure`),
  )
  const readyMs = performance.now() - undoing
  period.end(graceMs)
  await delay(graceMs)
  return { failure, counts: monitor.take(), readyMs, compared: 0, problems: 0 }
}

/** Compares the service with the model while nothing else is sent. */
async function settle(load: Load, verify: Verify, isLast: boolean): Promise<number> {
  await load.pause()
  return verify({ isLast })
}

const readDocument = async ({ issuer }: Installation): Promise<OpenApi> =>
  (await fetch(`${issuer}/openapi.json`)).json() as Promise<OpenApi>

const clock = (start: number): string => {
  const seconds = Math.round((performance.now() - start) / 1000)
  return `${String(Math.floor(seconds / 60)).padStart(2)}:${String(seconds % 60).padStart(2, '0')}`
}
