import { createThread, ThreadFailure } from '../../../base/process/thread.ts'

/** Estimates how many guesses find a password. The work runs in a thread, so that it does not delay requests. */
export interface GuessEstimator {
  /**
   * Returns the number of guesses; undefined if the thread is too busy, too slow or fails. `words` are data of the person that a guesser
   * knows. Only the first characters and the first words count.
   */
  estimate(password: string, words: readonly string[]): Promise<number | undefined>
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
  queue?: number
  module?: URL
}

export interface GuessRequest {
  password: string
  words: readonly string[]
}

const maxCharacters = 72
const maxWords = 20
const shorten = (text: string): string =>
  Array.from(text.slice(0, 4 * maxCharacters))
    .slice(0, maxCharacters)
    .join('')

/** Creates an estimator without a thread: the first estimate starts it. */
export function createGuessEstimator({
  onFailure,
  limitMilliseconds = 10_000,
  idleMilliseconds = 60_000,
  queue = 20,
  module = new URL('./guessWorker.ts', import.meta.url),
}: GuessEstimatorOptions): GuessEstimator {
  const thread = createThread<GuessRequest, number>({ module, limitMilliseconds, idleMilliseconds, queue, megabytes: 192 })
  return {
    async estimate(password, words) {
      try {
        return await thread.run({ password: shorten(password), words: words.slice(0, maxWords).map(shorten) })
      } catch (error) {
        if (!(error instanceof ThreadFailure)) throw error
        if (error.kind !== 'closed') onFailure(error.message)
        return undefined
      }
    },
    isStarted: thread.isStarted,
    close: thread.close,
  }
}
