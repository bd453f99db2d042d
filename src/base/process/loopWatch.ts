import { AsyncLocalStorage } from 'node:async_hooks'

/** The operation whose code runs: a request, or a background job. */
export interface LoopOwner {
  /** Called after the owner's code has blocked the event loop for this long. */
  blocked(milliseconds: number): void
}

/**
 * Measures how long each owner's code blocks the event loop. The time counts from the moment at which code of an owner starts, or goes on
 * after a wait, until code of another owner does, or until the turn of the event loop ends.
 */
export interface LoopWatch {
  run<Result>(owner: LoopOwner, work: () => Result): Result
  /** To be called when code goes on after a wait: the time from now on is that of its owner. */
  resumed(): void
  /** Ends the current measurement: a long block is reported before this returns. */
  pause(): void
}

const longBlockMs = 100

/** Creates a watch that reports blocks of at least `leastMs`. It costs two readings of the clock for each turn of the event loop. */
export function createLoopWatch(leastMs = longBlockMs): LoopWatch {
  const owners = new AsyncLocalStorage<LoopOwner>()
  let current: LoopOwner | undefined
  let since = 0
  let isTurnWatched = false

  const settle = (): void => {
    if (!current) return
    const milliseconds = performance.now() - since
    const owner = current
    current = undefined
    if (milliseconds >= leastMs) owner.blocked(milliseconds)
  }
  // Immediates run when the events of a turn have been handled.
  const endTurn = (): void => {
    isTurnWatched = false
    settle()
  }
  const switchTo = (owner: LoopOwner | undefined): void => {
    if (owner === current) return
    settle()
    if (!owner) return
    current = owner
    since = performance.now()
    if (isTurnWatched) return
    isTurnWatched = true
    owners.exit(() => setImmediate(endTurn))
  }
  return {
    run: (owner, work) =>
      owners.run(owner, () => {
        switchTo(owner)
        return work()
      }),
    resumed: () => switchTo(owners.getStore()),
    pause: settle,
  }
}
