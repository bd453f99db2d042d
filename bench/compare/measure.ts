import { usageOf } from './processUsage.ts'

/** One kind of request at one server. `prepare` creates the data that requests consume, outside the measurement. */
export interface Operation {
  /** Requests in one round. */
  count: number
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
export async function measureRound(
  operation: Operation,
  { pid, concurrency, storesCpuSeconds }: { pid: number; concurrency: number; storesCpuSeconds: () => number },
): Promise<Round> {
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

/** The summary of all rounds of one operation at one server. */
export interface Summary {
  perSecond: number
  p50: number
  p95: number
  p99: number
  /** Milliseconds of CPU for one request. */
  cpu: number
  storesCpu: number
  memoryMegabytes: number
  errors: number
}

/** Summarises rounds: the median of their rates, and percentiles of all latencies. */
export function summarise(rounds: readonly Round[]): Summary {
  const latencies = rounds.flatMap(({ latencies: own }) => own).sort((one, other) => one - other)
  const requests = sum(rounds.map((round) => round.requests))
  return {
    perSecond: median(rounds.map((round) => round.requests / round.seconds)),
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    cpu: (1000 * sum(rounds.map(({ cpuSeconds }) => cpuSeconds))) / requests,
    storesCpu: (1000 * sum(rounds.map((round) => round.storesCpuSeconds))) / requests,
    memoryMegabytes: Math.max(...rounds.map((round) => round.memoryMegabytes)),
    errors: sum(rounds.map(({ errors }) => errors)),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0

function median(numbers: readonly number[]): number {
  return percentile(
    [...numbers].sort((one, other) => one - other),
    0.5,
  )
}
