import type { Middleware } from 'koa'
import type { Ask } from '../http/inProcess.ts'
import { Problem } from '../lib/problem.ts'
import type { School } from '../policy/school.ts'
import { claims, type Expected } from './claims.ts'

export interface TruthArguments {
  ask: Ask
  expected(school: School): Expected
  /** Told of every look at a school. */
  report(school: School, found: { faults: readonly string[]; milliseconds: number }): void
}

export interface Truth {
  /** What is not true of a school; the first call looks, and so does one after a fault. */
  check(school: School): Promise<readonly string[]>
  /** What was found not to be true, by school. */
  faults(): Record<string, readonly string[]>
  /** Lets requests through to schools whose documents are true. */
  middleware: Middleware
  /** Forgets what was found: schools are looked at anew when they are next used. */
  clear(): void
}

/** A fault may pass, as an outage does. */
const lookAgainMilliseconds = 1000

/**
 * Holds what a school's metadata and documents say against what the service does, before anybody is served.
 * A school that says what is not so is closed; the others go on.
 */
export function createTruth({ ask, expected, report }: TruthArguments): Truth {
  const looks = new Map<string, Look>()
  const lookAt = (school: School): Look => {
    const look: Look = { slug: school.slug, faults: [], until: Number.POSITIVE_INFINITY, done: examine(ask, expected(school)) }
    look.done = look.done.then((found) => {
      report(school, found)
      look.faults = found.faults
      if (found.faults.length > 0) look.until = performance.now() + lookAgainMilliseconds
      return found
    })
    looks.set(school.id, look)
    return look
  }
  const check = async (school: School): Promise<readonly string[]> => {
    const last = looks.get(school.id)
    const look = last && performance.now() < last.until ? last : lookAt(school)
    return (await look.done).faults
  }
  return {
    check,
    faults: () =>
      Object.fromEntries([...looks.values()].filter(({ faults }) => faults.length > 0).map(({ slug, faults }) => [slug, faults])),
    async middleware(ctx, next) {
      if ((await check(ctx.state.school)).length > 0) {
        throw new Problem('temporarily_unavailable', {
          description: 'What this school says of itself is not so at present, so it is closed. The operator sees at /readyz what is wrong.',
          headers: { 'Retry-After': String(Math.ceil(lookAgainMilliseconds / 1000)) },
        })
      }
      return next()
    },
    clear: () => looks.clear(),
  }
}

/** One look at a school: what it found, and until when that stands. */
interface Look {
  slug: string
  faults: readonly string[]
  until: number
  done: Promise<Found>
}

interface Found {
  faults: readonly string[]
  milliseconds: number
}

async function examine(ask: Ask, expected: Expected): Promise<Found> {
  const start = performance.now()
  const found = await Promise.all(
    claims.map((claim) => claim(ask, expected).catch((error: unknown) => [error instanceof Error ? error.message : String(error)])),
  )
  return { faults: found.flat(), milliseconds: Math.round(performance.now() - start) }
}
