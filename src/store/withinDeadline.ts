/** The result of `work`, or an error after `milliseconds`. The work itself goes on; its late failure is nobody's. */
export async function withinDeadline<Result>(work: Promise<Result>, milliseconds: number, what: string): Promise<Result> {
  const { promise: deadline, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`${what} did not answer within ${milliseconds} ms`)), milliseconds)
  try {
    return await Promise.race([work, deadline])
  } finally {
    clearTimeout(timer)
  }
}
