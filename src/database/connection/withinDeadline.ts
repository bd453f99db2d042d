/**
 * Returns the result of `work`, or fails after `milliseconds`. The work continues; its late failure is ignored. A process that was paused for as
 * long reads first what arrived meanwhile.
 */
export async function withinDeadline<Result>(work: Promise<Result>, milliseconds: number, what: string): Promise<Result> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const giveUp = (): void => reject(new Error(`${what} did not answer within ${milliseconds} ms`))
  const timer = setTimeout(() => setImmediate(giveUp), milliseconds)
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
