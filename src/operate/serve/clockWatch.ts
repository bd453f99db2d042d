import type { Metrics } from '../../base/http/metrics.ts'
import type { Log } from '../../base/log/log.ts'
import type { SharedClock } from '../../database/connection/sharedClock.ts'

/** From this difference on, the log has a warning. */
const warnSeconds = 2
/** From this difference on, the process is degraded: what leaves the installation, such as ID tokens, has wrong times. */
const degradedSeconds = 10

const intervalMs = 10_000

export interface ClockWatch {
  /** @throws Error if the clock of this machine is wrong by more than `degradedSeconds` */
  check(): Promise<void>
  stop(): void
}

/** Compares the clocks now and every ten seconds, and reports a difference in the log and as a metric. */
export async function watchClock(
  clock: SharedClock,
  { log, metrics }: { log: Log; metrics: Pick<Metrics, 'collect'> },
): Promise<ClockWatch> {
  let isWrong = false
  const compare = async (): Promise<void> => {
    // Readiness reports a database that does not respond.
    await clock.measure().catch(() => undefined)
    const seconds = clock.aheadSeconds()
    if (Math.abs(seconds) > warnSeconds !== isWrong) {
      isWrong = !isWrong
      if (isWrong) log.warn({ ahead_seconds: Number(seconds.toFixed(1)) }, 'clock differs from the database: synchronise it (NTP)')
      else log.info('clock agrees with the database again')
    }
  }
  metrics.collect((set) => set('schoolgate_clock_skew_seconds', {}, Math.abs(clock.aheadSeconds())))
  await compare()
  const timer = setInterval(() => void compare(), intervalMs)
  timer.unref()
  return {
    async check() {
      const seconds = clock.aheadSeconds()
      if (Math.abs(seconds) <= degradedSeconds) return
      const direction = seconds > 0 ? 'ahead of' : 'behind'
      throw new Error(`the clock of this machine is ${Math.abs(seconds).toFixed(1)} s ${direction} the database's: synchronise both (NTP)`)
    },
    stop: () => clearInterval(timer),
  }
}
