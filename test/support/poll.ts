import { setTimeout } from 'node:timers/promises'

export interface Deadline {
  deadlineMs?: number
  /** The awaited condition, for the error message. */
  what: string
}

/** Polls until the result is truthy, and returns it. Fails at the deadline, with the last error as the cause. */
export async function until<Answer>(
  check: () => Answer | Promise<Answer>,
  { deadlineMs = 60_000, what }: Deadline,
): Promise<Exclude<Answer, false | 0 | '' | null | undefined>> {
  const end = performance.now() + deadlineMs
  let cause: unknown
  do {
    try {
      const answer = await check()
      if (answer) return answer as Exclude<Answer, false | 0 | '' | null | undefined>
      cause = undefined
    } catch (error) {
      cause = error
    }
    await setTimeout(10)
  } while (performance.now() < end)
  throw new Error(`not within ${deadlineMs} ms: ${what}`, { cause })
}

/**
 * Sends a request, and repeats it while it gets 503, as clients do in a crowd: a change waits for a connection and a lock for a few
 * seconds at most, and 503 means that the request had no effect.
 */
export async function untilServed<Reply extends { status: number }>(send: () => Promise<Reply>): Promise<Reply> {
  return until(
    async () => {
      const reply = await send()
      return reply.status !== 503 && reply
    },
    { what: 'a response other than 503' },
  )
}
