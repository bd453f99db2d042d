import type { ClaimedRow } from '../../../database/outbox/claimOutbox.ts'

export interface LaneArguments {
  concurrency: number
  /** True if a row that is done can let another one go. */
  isOrdered: boolean
  claim(limit: number): Promise<ClaimedRow[]>
  /** Attempts one row and stores the outcome. Never throws. */
  work(row: ClaimedRow): Promise<void>
  /** A claim failed: the next poll repeats it. */
  onError(error: unknown): void
}

/** Works on the due rows of one kind or one receiver, so that a slow one does not delay others. */
export interface OutboxLane {
  readonly isIdle: boolean
  /** Claims rows until none is due. Resolves when they are done. */
  run(): Promise<void>
  /** Claims nothing more. Resolves when the rows in work are done. */
  stop(): Promise<void>
}

export function createLane({ concurrency, isOrdered, claim, work, onError }: LaneArguments): OutboxLane {
  const running = new Set<Promise<void>>()
  let isStopped = false
  let current: Promise<void> | undefined
  let asked = Promise.withResolvers<void>()

  const loop = async (): Promise<void> => {
    let answered: typeof asked | undefined
    for (;;) {
      const question = asked
      const free = isStopped || (answered === question && !isOrdered) ? 0 : concurrency - running.size
      const rows = free > 0 ? await claim(free) : []
      // Nothing else was due.
      if (rows.length < free) answered = question
      for (const row of rows) {
        const task: Promise<void> = work(row).finally(() => running.delete(task))
        running.add(task)
      }
      if (running.size > 0) await Promise.race([...running, ...(isStopped ? [] : [question.promise])])
      else if (rows.length === 0 && question === asked) return
    }
  }
  const start = async (): Promise<void> => {
    try {
      await loop()
    } catch (error) {
      onError(error)
      await Promise.all(running)
    } finally {
      current = undefined
    }
  }
  return {
    get isIdle() {
      return current === undefined
    },
    run() {
      asked.resolve()
      asked = Promise.withResolvers()
      current ??= start()
      return current
    },
    async stop() {
      isStopped = true
      asked.resolve()
      await current
    },
  }
}
