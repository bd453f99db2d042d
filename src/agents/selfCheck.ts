import { setTimeout as setTimer } from 'node:timers'
import { setTimeout } from 'node:timers/promises'
import type { Fetch } from '../base/http/inProcess.ts'
import type { School } from '../base/school.ts'
import { checkDocuments, type Expected } from './documentChecks.ts'

/** failed: a document contradicts the service. unknown: the check got no response from the service, and is repeated. */
export const selfCheckStates = ['pending', 'passed', 'failed', 'unknown'] as const
export type SelfCheckState = (typeof selfCheckStates)[number]

export interface SelfCheckResult {
  state: Exclude<SelfCheckState, 'pending'>
  /** The contradictions, or the requests that got no response. */
  problems: readonly string[]
  milliseconds: number
}

export interface SelfCheckArguments {
  ask: Fetch
  schools(): readonly School[]
  expected(school: School): Expected
  /** Called after every check of a school. Without `retrySeconds` the school is not checked again before the next reload. */
  report(school: School, result: SelfCheckResult & { retrySeconds?: number }): void
  pause?(milliseconds: number, signal: AbortSignal): Promise<void>
}

export interface SelfCheckSummary {
  passed: number
  pending: number
  failed: Record<string, readonly string[]>
  unknown: Record<string, readonly string[]>
}

/** Compares a school's documents with the behaviour of the service, in the background. It reports problems and rejects no request. */
export interface SelfCheck {
  /** Checks every school, one after the other, with pauses if there are many, and repeats the check of a school until it passes. */
  start(): void
  /** Checks every school again, if the checks have been started. */
  restart(): void
  /** Waits up to two seconds for a request under way, which uses the database. */
  stop(): Promise<void>
  states(): Record<string, SelfCheckState>
  summary(): SelfCheckSummary
}

/** With more schools than this, the checks are spread over time. */
const maxAtOnce = 10
/** Then each check is followed by a pause of this many times its duration, so that requests get most of the processor. */
const pausesPerCheck = 4
const firstRetrySeconds = 1
const longestRetrySeconds = 300
/** After a stop, a request under way gets this long. */
const stopTimeoutMs = 2000

export function createSelfCheck({ ask, schools, expected, report, pause = rest }: SelfCheckArguments): SelfCheck {
  let current: { controller: AbortController; results: Map<string, SelfCheckResult>; timers: Set<NodeJS.Timeout> } | undefined
  let queue = Promise.resolve()

  const begin = (): void => {
    const round = { controller: new AbortController(), results: new Map<string, SelfCheckResult>(), timers: new Set<NodeJS.Timeout>() }
    current = round
    const { results, timers } = round
    const { signal } = round.controller
    const { promise: givenUp, reject: giveUp } = Promise.withResolvers<never>()
    givenUp.catch(() => undefined)
    signal.addEventListener('abort', () => setTimer(() => giveUp(signal.reason), stopTimeoutMs).unref())
    const askUntilStopped: Fetch = async (address, request) => {
      signal.throwIfAborted()
      return await Promise.race([ask(address, request), givenUp])
    }
    const check = (school: School, retrySeconds: number): void => {
      queue = queue.then(async () => {
        if (signal.aborted) return
        const result = await examine(askUntilStopped, expected(school))
        if (signal.aborted) return
        results.set(school.slug, result)
        const isDone = result.state === 'passed'
        report(school, { ...result, ...(isDone ? {} : { retrySeconds }) })
        if (!isDone) after(retrySeconds, () => check(school, Math.min(retrySeconds * 2, longestRetrySeconds)))
        if (schools().length > maxAtOnce) await pause(result.milliseconds * pausesPerCheck, signal)
      })
    }
    const after = (seconds: number, work: () => void): void => {
      const timer = setTimer(() => {
        timers.delete(timer)
        work()
      }, seconds * 1000).unref()
      timers.add(timer)
    }
    for (const school of schools()) check(school, firstRetrySeconds)
  }
  const end = (): void => {
    current?.controller.abort()
    for (const timer of current?.timers ?? []) clearTimeout(timer)
    current = undefined
  }
  const stateOf = ({ slug }: School): SelfCheckState => current?.results.get(slug)?.state ?? 'pending'
  const problemsOf = (state: SelfCheckState): Record<string, readonly string[]> =>
    Object.fromEntries(
      schools()
        .filter((school) => stateOf(school) === state)
        .map(({ slug }) => [slug, current?.results.get(slug)?.problems ?? []]),
    )
  const count = (state: SelfCheckState): number => schools().filter((school) => stateOf(school) === state).length

  return {
    start: begin,
    restart() {
      if (!current) return
      end()
      begin()
    },
    async stop() {
      end()
      await queue
    },
    states: () => Object.fromEntries(schools().map((school) => [school.slug, stateOf(school)])),
    summary: () => ({ passed: count('passed'), pending: count('pending'), failed: problemsOf('failed'), unknown: problemsOf('unknown') }),
  }
}

const rest = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal, ref: false }).catch(() => undefined)

export async function examine(ask: Fetch, expected: Expected): Promise<SelfCheckResult> {
  const start = performance.now()
  const outcome = await checkDocuments(ask, expected).then(
    ({ contradictions, unanswered }) => {
      if (contradictions.length > 0) return { state: 'failed' as const, problems: contradictions }
      return unanswered.length > 0 ? { state: 'unknown' as const, problems: unanswered } : { state: 'passed' as const, problems: [] }
    },
    (error: unknown) => ({ state: 'unknown' as const, problems: [error instanceof Error ? error.message : String(error)] }),
  )
  return { ...outcome, milliseconds: Math.round(performance.now() - start) }
}
