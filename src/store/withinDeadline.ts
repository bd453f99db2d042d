/** Returns the result of `work`, or fails after `milliseconds`. The work continues; its late failure is ignored. */
export async function withinDeadline<Result>(work: Promise<Result>, milliseconds: number, what: string): Promise<Result> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} did not answer within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
