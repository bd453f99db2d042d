import { randomBytes, randomUUID } from 'node:crypto'
import { clientTag, grantTag } from '../../src/database/facts/fact.ts'
import { createRedis } from '../../src/database/redis/redis.ts'
import { redisArtifacts } from '../../src/identity/tokens/redisArtifacts.ts'
import { median, printRows } from '../process/figures.ts'

/** The number for which the cost is calculated. */
const target = 3_000_000
const lifetimeSeconds = 3600
const inFlight = 200

export interface TokenArguments {
  tokens: number
  schools: number
  rounds: number
  say(line: string): unknown
}

/** Saves live access tokens as the service does, measures Redis at a quarter, a half and all of them, and prints the cost of the target. */
export async function measureTokens(redisUrl: string, { tokens, schools, rounds, say }: TokenArguments): Promise<void> {
  const redis = createRedis(redisUrl, { onError: () => undefined })
  await redis.connect()
  try {
    const artifacts = redisArtifacts(redis.client, { longestTokenSeconds: lifetimeSeconds })
    const ids = Array.from({ length: schools }, () => randomUUID())
    const keys: { schoolId: string; model: string; id: string }[] = []
    const save = async (at: number): Promise<void> => {
      const schoolId = ids[at % schools] ?? ''
      const [grantId, clientId, accountId] = [randomBytes(32).toString('base64url'), `cli_${at % 500}`, randomUUID()]
      const id = randomBytes(32).toString('base64url')
      const payload = JSON.stringify({
        iat: 1_760_000_000,
        exp: 1_760_003_600,
        accountId,
        clientId,
        grantId,
        kind: 'AccessToken',
        scope: 'openid profile email school:read courses:read account:read',
      })
      const tags = { grantTag: grantTag(schoolId, grantId), clientTag: clientTag(schoolId, clientId) }
      await artifacts.save({
        schoolId,
        model: 'AccessToken',
        id,
        payload,
        expiresInSeconds: lifetimeSeconds,
        grantId,
        clientId,
        accountId,
        ...tags,
      })
      if (keys.length < 10_000) keys.push({ schoolId, model: 'AccessToken', id })
    }
    const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.client.info('memory'))?.[1])
    const sizes: { saved: number; bytes: number; microseconds: number; findMs: number }[] = []
    let saved = 0
    for (const share of [0.25, 0.5, 1]) {
      const goal = Math.round(tokens * share)
      const start = performance.now()
      const added = goal - saved
      while (saved < goal) {
        const batch = Math.min(inFlight, goal - saved)
        await Promise.all(Array.from({ length: batch }, (_, at) => save(saved + at)))
        saved += batch
      }
      const microseconds = ((performance.now() - start) * 1000) / added
      const times: number[] = []
      for (let round = 0; round < rounds * 10; round += 1) {
        const key = keys[Math.floor(Math.random() * keys.length)]
        const begin = performance.now()
        if (!key || !(await artifacts.findWithVersions(key)).found) throw new Error('a token was not found')
        times.push(performance.now() - begin)
      }
      sizes.push({ saved, bytes: await used(), microseconds, findMs: median(times) })
    }
    const [first, last] = [sizes[0], sizes.at(-1)]
    if (!first || !last) return
    const slope = (last.bytes - first.bytes) / (last.saved - first.saved)
    say(
      `\nA live access token takes ${slope.toFixed(0)} bytes of Redis: ${((slope * target) / 1e9).toFixed(1)} GB for ${target.toLocaleString('en')}, which ${((last.microseconds * target) / 60e6).toFixed(1)} min of one process write.`,
    )
    printRows(
      ['live tokens', 'MB of Redis', 'µs to save one, 200 in flight', 'ms to check one'],
      sizes.map(({ saved: count, bytes, microseconds, findMs }) => [
        count.toLocaleString('en'),
        (bytes / 1e6).toFixed(0),
        microseconds.toFixed(0),
        findMs.toFixed(2),
      ]),
      say,
    )
  } finally {
    await redis.close()
  }
}
