import type { Log } from '../../base/log/log.ts'
import type { Database } from '../../database/connection/database.ts'
import { readLogLevel } from '../../database/migrations/installation.ts'

const intervalMs = 5000

const withoutWarnings: ReadonlySet<string> = new Set(['error', 'fatal', 'silent'])

/**
 * Applies the level that an operator has set for every process, now and every five seconds. It ends by itself, also while the database does
 * not respond: the level of this process at its start is back.
 */
export async function followLogLevel({ kysely }: Pick<Database, 'kysely'>, log: Log): Promise<{ stop(): void }> {
  const own = log.level
  let temporary: { level: string; endsAt: number } | undefined
  const follow = async (): Promise<void> => {
    try {
      const found = await readLogLevel(kysely)
      temporary = found && { level: found.level, endsAt: performance.now() + found.seconds * 1000 }
    } catch {
      // Readiness reports a database that does not respond.
    }
    const wanted = temporary && performance.now() < temporary.endsAt ? temporary.level : own
    const before = log.level
    if (wanted === before) return
    const report = (): void => log.warn({ level_before: before, level_now: wanted }, 'log level changed')
    const isHidden = withoutWarnings.has(wanted)
    if (isHidden) report()
    log.level = wanted
    if (!isHidden) report()
  }
  await follow()
  let isReading = false
  const timer = setInterval(async () => {
    // A database that hangs gets one request, not one more every five seconds.
    if (isReading) return
    isReading = true
    await follow()
    isReading = false
  }, intervalMs)
  timer.unref()
  return {
    stop() {
      clearInterval(timer)
      log.level = own
    },
  }
}
