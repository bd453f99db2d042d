import { withinDeadline } from '../connection/withinDeadline.ts'
import { redisFailure } from './redis.ts'

const timeoutMilliseconds = 250
const pauseMilliseconds = 1000

/** Runs `shared`, which asks Redis, or `local` where there is no Redis or it fails. */
export type SharedOrLocal = <Value>(shared: (() => Promise<Value>) | undefined, local: () => Value | Promise<Value>) => Promise<Value>

/**
 * Counts in the memory of the process while Redis fails, so that an outage of Redis does not refuse requests. Asks Redis again after a pause.
 * `onError` is called once for each pause.
 */
export function sharedOrLocal(onError?: (error: Error) => void): SharedOrLocal {
  let pausedUntil = 0
  return async (shared, local) => {
    if (shared && Date.now() >= pausedUntil) {
      try {
        return await withinDeadline(shared(), timeoutMilliseconds, 'the rate limiter')
      } catch (error) {
        if (Date.now() >= pausedUntil) onError?.(redisFailure(error))
        pausedUntil = Date.now() + pauseMilliseconds
      }
    }
    return local()
  }
}
