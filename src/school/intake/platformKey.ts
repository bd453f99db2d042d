import { createHash, timingSafeEqual } from 'node:crypto'
import { requireWithin } from '../../base/http/rateLimit.ts'
import type { Log } from '../../base/log/log.ts'
import { Problem } from '../../base/problem.ts'
import { createRateLimits } from '../../database/redis/rateLimits.ts'

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Wrong keys of one address. Above it they get 429; the right key is always accepted, since others may share the address. */
const wrongKeys = { name: 'wrong_platform_keys', requests: 30, windowSeconds: 60 }

/**
 * Returns a function that checks the `Authorization` header of a request against the keys, in a time that does not depend on its value. The
 * first wrong key of an address within a minute is logged.
 * @throws Problem invalid_token, rate_limited
 */
export function createKeyCheck(keys: readonly string[], log: Log): (header: string | undefined, address: string) => Promise<void> {
  const hashes = keys.map(hashOf)
  const failures = createRateLimits({ prefix: 'platform', keysInMemory: 1000 })
  return async (header, address) => {
    const [, sent = ''] = /^Bearer +([\x21-\x7e]{1,1000})$/i.exec(header ?? '') ?? []
    const hash = hashOf(sent)
    const matches = hashes.filter((known) => timingSafeEqual(known, hash))
    if (matches.length > 0) return
    const verdict = await failures.consume(wrongKeys, address)
    if (verdict.remaining === wrongKeys.requests - 1) log.warn({ address }, 'platform request with a wrong key refused')
    requireWithin(wrongKeys, verdict)
    throw new Problem('invalid_token', { description: 'The platform key is missing or wrong. Send it as Authorization: Bearer KEY.' })
  }
}
