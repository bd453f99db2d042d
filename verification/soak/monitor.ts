import type { Judge } from '../fuzz/judge.ts'
import type { FuzzReply, FuzzRequest } from '../fuzz/wire.ts'
import { type Allowance, judgeRejections, judgeService, serviceOf } from './judge.ts'

/** Numbers of responses since the last `take`. */
export interface Counts {
  answered: number
  refused: number
  lost: number
  slowestMs: number
}

export interface SoakProblem {
  /** The failure during or after which it was seen. */
  failure: string
  text: string
  count: number
  detail: string
}

/** Data that a failure may end: sessions, codes and access tokens in Redis, or checkouts that were not paid. */
export type Forgotten = 'redis' | 'checkouts'

/** Judges every response by the failures at its time, counts, and collects problems. */
export interface Monitor {
  /** Judges a response, or its absence, to a request that began at this `performance.now()`. */
  observe(request: FuzzRequest, reply: FuzzReply | undefined, since: number): void
  report(text: string, detail?: string): void
  problems: readonly SoakProblem[]
  /** Begins a period: until `end`, and `graceMs` after it, requests that overlap it may get what it allows. */
  begin(failure: string, allowed: Allowance, forgets?: Forgotten): { end(graceMs: number): void }
  /** True if what was created at this time may be lost; by default what is in Redis. */
  mayHaveLost(since: number, what?: Forgotten): boolean
  /** True if something was allowed to fail between then and now. */
  wasDisturbed(since: number): boolean
  take(): Counts
  total: Counts
  /** Requests while no failure allowed rejections. */
  undisturbed: { all: number; refused: number }
  /** Judges the rejections among them. */
  finish(): void
}

interface Period {
  allowed: Allowance
  forgets: Forgotten | undefined
  from: number
  until: number
}

const none = (): Counts => ({ answered: 0, refused: 0, lost: 0, slowestMs: 0 })

/** `onProblem` is called for the first of each kind. */
export function createMonitor(judge: Judge, onProblem: (problem: SoakProblem) => void = () => undefined): Monitor {
  const periods: Period[] = []
  const problems = new Map<string, SoakProblem>()
  let counts = none()
  const total = none()
  const undisturbed = { all: 0, refused: 0 }
  let current = 'no failure'

  const overlapping = (since: number): Period[] => periods.filter(({ until }) => until >= since)

  function report(text: string, detail = ''): void {
    const known = problems.get(text)
    if (known) known.count += 1
    else {
      const problem = { failure: current, text, count: 1, detail }
      problems.set(text, problem)
      onProblem(problem)
    }
  }

  return {
    get problems() {
      return [...problems.values()]
    },
    total,
    undisturbed,
    report,
    finish() {
      for (const problem of judgeRejections(undisturbed.refused, undisturbed.all)) report(problem)
    },
    observe(request, reply, since) {
      const milliseconds = performance.now() - since
      const seen = reply && { status: reply.status, retryAfter: reply.headers['retry-after'] as string | undefined }
      const service = serviceOf(seen)
      for (const one of [counts, total]) {
        one[service] += 1
        one.slowestMs = Math.max(one.slowestMs, milliseconds)
      }
      const at = overlapping(since)
      const allowed = { refused: at.some((one) => one.allowed.refused), broken: at.some((one) => one.allowed.broken) }
      if (!allowed.refused) {
        undisturbed.all += 1
        if (service === 'refused') undisturbed.refused += 1
      }
      const text = reply ? `${reply.status} ${reply.text.slice(0, 300)}` : ''
      for (const problem of judgeService(seen, allowed)) report(`${request.target}: ${problem}`, text)
      if (service !== 'answered' || !reply) return
      for (const problem of judge(request, reply)) report(`${request.target}: ${problem}`, text)
    },
    begin(failure, allowed, forgets) {
      current = failure
      const period: Period = { allowed, forgets, from: performance.now(), until: Number.POSITIVE_INFINITY }
      periods.push(period)
      return {
        end(graceMs) {
          period.until = performance.now() + graceMs
        },
      }
    },
    mayHaveLost: (since, what = 'redis') => periods.some(({ forgets, until }) => forgets === what && until >= since),
    wasDisturbed: (since) => overlapping(since).length > 0,
    take() {
      const taken = counts
      counts = none()
      return taken
    },
  }
}
