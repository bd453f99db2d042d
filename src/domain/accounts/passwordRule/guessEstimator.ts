import { Worker } from 'node:worker_threads'

/** Estimates how many guesses find a password. The work runs in a thread, so that it does not delay requests. */
export interface GuessEstimator {
  /**
   * Returns the number of guesses; undefined if the thread is too busy, too slow or fails. `words` are data of the person that a guesser
   * knows. Only the first characters and the first words count.
   */
  estimate(password: string, words: readonly string[]): Promise<number | undefined>
  /** True while the thread exists. */
  isStarted(): boolean
  /** Ends the thread. Estimates that have not finished return undefined. */
  close(): Promise<void>
}

export interface GuessEstimatorOptions {
  /** Called for each estimate that fails, with a reason that contains nothing of the password. */
  onFailure(reason: string): void
  /** Time limit of one estimate, including the start of the thread. */
  limitMilliseconds?: number
  /** The thread ends after this time without an estimate, which frees memory. */
  idleMilliseconds?: number
  /** Estimates that may wait for the one that runs. */
  queue?: number
  /** The module that the thread runs. */
  module?: URL
}

/** The request to the thread. */
export interface GuessRequest {
  password: string
  words: readonly string[]
}

interface Estimate {
  request: GuessRequest
  settle(guesses: number | undefined, reason?: string): void
}

const mostCharacters = 72
const mostWords = 20
const shorten = (text: string): string =>
  Array.from(text.slice(0, 4 * mostCharacters))
    .slice(0, mostCharacters)
    .join('')

/** The message of an error could contain the password. */
const reasonOf = (error: unknown): string => {
  const name = error instanceof Error ? error.name : 'unknown'
  return `the thread failed: ${error instanceof Error && 'code' in error ? error.code : name}`
}

/** Creates an estimator without a thread: the first estimate starts it. The process can end while the thread exists. */
export function createGuessEstimator({
  onFailure,
  limitMilliseconds = 10_000,
  idleMilliseconds = 60_000,
  queue = 20,
  module = new URL('./guessWorker.ts', import.meta.url),
}: GuessEstimatorOptions): GuessEstimator {
  let worker: Worker | undefined
  let running: Estimate | undefined
  const waiting: Estimate[] = []
  let idle: NodeJS.Timeout | undefined

  const stop = async (): Promise<void> => {
    const stopped = worker
    worker = undefined
    await stopped?.terminate()
  }
  const start = (): Worker => {
    // Without the environment, which contains secrets.
    const started = new Worker(module, {
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 },
    })
    const failed = (reason: string): void => {
      if (worker !== started) return
      worker = undefined
      running?.settle(undefined, reason)
    }
    started.on('message', (guesses: number) => worker === started && running?.settle(guesses))
    started.on('error', (error) => failed(reasonOf(error)))
    started.on('exit', () => failed('the thread ended'))
    // After the listeners: a listener of messages keeps the process alive.
    started.unref()
    return started
  }
  const advance = (): void => {
    if (running) return
    running = waiting.shift()
    clearTimeout(idle)
    if (!running) {
      idle = setTimeout(() => void stop(), idleMilliseconds).unref()
      return
    }
    try {
      worker ??= start()
      worker.postMessage(running.request)
    } catch (error) {
      running.settle(undefined, reasonOf(error))
    }
  }

  return {
    async estimate(password, words) {
      if (waiting.length >= queue) {
        onFailure('too many estimates are waiting')
        return undefined
      }
      const request = { password: shorten(password), words: words.slice(0, mostWords).map(shorten) }
      return await new Promise((resolve) => {
        const estimate: Estimate = {
          request,
          settle(guesses, reason) {
            clearTimeout(deadline)
            if (reason !== undefined) onFailure(reason)
            if (running === estimate) running = undefined
            else waiting.splice(waiting.indexOf(estimate), 1)
            resolve(guesses)
            advance()
          },
        }
        // Keeps the process alive until the estimate is there: the thread does not.
        const deadline = setTimeout(() => {
          if (running === estimate) void stop()
          estimate.settle(undefined, 'no estimate within the time limit')
        }, limitMilliseconds)
        waiting.push(estimate)
        advance()
      })
    },
    isStarted: () => worker !== undefined,
    async close() {
      for (const estimate of [...waiting]) estimate.settle(undefined)
      running?.settle(undefined)
      clearTimeout(idle)
      await stop()
    },
  }
}
