import { usageOf } from './processUsage.ts'

/** One kind of request at one server. `prepare` creates the data that requests consume, outside the measurement. */
export interface Operation {
  /** Requests in one round. */
  count: number
  /** Requests before the measurement, if they are fewer than those of other operations. */
  warmUp?: number
  /** Returns one task for each request of the round. */
  prepare(count: number): Promise<readonly (() => Promise<void>)[]>
}

export interface Round {
  requests: number
  seconds: number
  latencies: readonly number[]
  /** CPU seconds of the server, and of PostgreSQL and Redis together. */
  cpuSeconds: number
  storesCpuSeconds: number
  memoryMegabytes: number
  errors: number
}

/** Sends one round of requests, `concurrency` at a time. */
export async function measureRound(operation: Operation, { pid, concurrency, storesCpuSeconds }: MeasureOptions): Promise<Round> {
  const tasks = (await operation.prepare(operation.count)).values()
  const latencies: number[] = []
  let errors = 0
  const [before, storesBefore, start] = [usageOf(pid), storesCpuSeconds(), performance.now()]
  const work = async (): Promise<void> => {
    for (const task of tasks) {
      const sent = performance.now()
      try {
        await task()
      } catch (error) {
        errors += 1
        if (process.env.BENCH_DEBUG) process.stderr.write(`${error}\n`)
      }
      latencies.push(performance.now() - sent)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  const seconds = (performance.now() - start) / 1000
  const after = usageOf(pid)
  return {
    requests: latencies.length,
    seconds,
    latencies,
    cpuSeconds: after.cpuSeconds - before.cpuSeconds,
    storesCpuSeconds: storesCpuSeconds() - storesBefore,
    memoryMegabytes: after.memoryMegabytes,
    errors,
  }
}

export interface MeasureOptions {
  pid: number
  concurrency: number
  storesCpuSeconds(): number
}

/** A round may differ by this share from the one before it, and the warm-up ends after three times its least number of requests. */
const stable = 0.1

/**
 * Repeats an operation, in rounds of the same size as the measured ones, until it was called often enough for the compiler and the CPU of a
 * request is stable. Returns the number of requests.
 */
export async function warmUp(operation: Operation, options: MeasureOptions, requestsBefore: number): Promise<number> {
  const least = Math.min(operation.warmUp ?? requestsBefore, requestsBefore)
  let [requests, before] = [0, Number.POSITIVE_INFINITY]
  while (requests < 3 * least) {
    const round = await measureRound(operation, options)
    requests += round.requests
    const cpu = (round.cpuSeconds + round.storesCpuSeconds) / round.requests
    if (requests >= least && Math.abs(cpu - before) <= stable * before) break
    before = cpu
  }
  return requests
}

/** The summary of all rounds of one operation at one server. */
export interface Summary {
  perSecond: number
  p50: number
  p99: number
  /** Microseconds of CPU for one request, of the server and the stores together: the median of the rounds. */
  cpu: number
  /** The part of the stores. */
  storesCpu: number
  memoryMegabytes: number
  errors: number
}

/** Summarises rounds: the median of their costs and rates, and percentiles of all latencies. */
export function summarise(rounds: readonly Round[]): Summary {
  const latencies = rounds.flatMap(({ latencies: own }) => own).sort((one, other) => one - other)
  return {
    perSecond: median(rounds.map(({ requests, seconds }) => requests / seconds)),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: median(rounds.map(({ requests, cpuSeconds, storesCpuSeconds }) => (1e6 * (cpuSeconds + storesCpuSeconds)) / requests)),
    storesCpu: median(rounds.map(({ requests, storesCpuSeconds }) => (1e6 * storesCpuSeconds) / requests)),
    memoryMegabytes: Math.max(...rounds.map((round) => round.memoryMegabytes)),
    errors: rounds.reduce((total, round) => total + round.errors, 0),
  }
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function median(numbers: readonly number[]): number {
  return percentile(
    [...numbers].sort((one, other) => one - other),
    0.5,
  )
}
