import { setTimeout } from 'node:timers/promises'
import { newId } from '../../base/ids.ts'
import type { Log } from '../../base/log/log.ts'
import { answered, type RedisClient, schoolPrefix } from '../redis/redis.ts'
import { defineScripts } from '../redis/redisScripts.ts'
import type { Fact } from './fact.ts'
import { busySeconds, epochSeconds, type FactMarkers, keptSeconds, versionSeconds } from './factGuard.ts'

export interface RedisMarkersOptions {
  redis: RedisClient
  log: Log
  /** Prefix of every key, for a shared Redis. */
  prefix?: string
}

/** The key of a fact's marker. The marker of a school is also the epoch of the school's data in Redis. */
export const markerKey = ({ schoolId, kind, key }: Fact, prefix = ''): string => `${schoolPrefix(schoolId, prefix)}fact:${kind}:${key}`

/** True if the marker says that its fact is being changed. */
export const isBusy = (marker: string | null | undefined): boolean => marker?.startsWith('busy ') ?? false

/** Time until Redis is asked again to take the version of a change. */
const pauseMilliseconds = 500

/**
 * Markers in Redis, for all processes. A change never fails because of them: without Redis no process accepts a token from its memory. If a
 * process loses its connection to a Redis that others still reach, they can use what they kept for `keptSeconds` at most.
 */
export function redisMarkers({ redis, log, prefix }: RedisMarkersOptions): FactMarkers {
  const scripts = defineScripts<Scripts>(redis, lua)
  const reported = async (marking: Promise<unknown>): Promise<boolean> => {
    try {
      await answered(marking)
      return true
    } catch (error) {
      log.warn({ err: error }, 'fact marker not written to Redis')
      return false
    }
  }
  return {
    async begin(facts) {
      const change = newId()
      const keys = facts.map((fact) => ({
        key: markerKey(fact, prefix),
        seconds: fact.kind === 'school' ? epochSeconds : versionSeconds,
        isContent: fact.kind === 'content',
      }))
      const markAll = (): Promise<unknown> =>
        Promise.all(
          keys.map(({ key, seconds, isContent }) =>
            isContent ? redis.set(key, newId(), 'EX', seconds) : scripts.sgFactEnd(key, change, newId(), seconds),
          ),
        )
      // Content is kept for so short a time that it needs no mark before the commit.
      const busy = keys.filter(({ isContent }) => !isContent)
      if (busy.length > 0) await reported(Promise.all(busy.map(({ key }) => scripts.sgFactBegin(key, change, busySeconds))))
      return {
        async end() {
          if (!(await reported(markAll()))) void repeatedly(markAll)
        },
      }
    },
  }
}

/** Repeats the marking until Redis takes it, or until no process can hold an earlier version. */
async function repeatedly(mark: () => Promise<unknown>): Promise<void> {
  const deadline = performance.now() + keptSeconds * 1000
  while (performance.now() < deadline) {
    await setTimeout(pauseMilliseconds, undefined, { ref: false })
    const isMarked = await mark().then(
      () => true,
      () => false,
    )
    if (isMarked) return
  }
}

interface Scripts {
  sgFactBegin(key: string, change: string, seconds: number): Promise<number>
  sgFactEnd(key: string, change: string, version: string, seconds: number): Promise<number>
}

/**
 * A busy marker lists the changes that are under way: the fact stays busy until the last of them has ended. A Redis that is full refuses the
 * first write of a script only if it can need memory, so each begins with a DEL.
 */
const lua: Record<keyof Scripts, string> = {
  sgFactBegin: `
      local marker = redis.call('GET', KEYS[1])
      redis.call('DEL', KEYS[1])
      if marker and string.sub(marker, 1, 5) == 'busy ' then marker = marker .. ' ' .. ARGV[1] else marker = 'busy ' .. ARGV[1] end
      redis.call('SET', KEYS[1], marker, 'EX', ARGV[2])
      return 1`,
  sgFactEnd: `
      local marker = redis.call('GET', KEYS[1])
      local remaining = redis.call('PTTL', KEYS[1])
      local others = {}
      if marker and string.sub(marker, 1, 5) == 'busy ' then
        for change in string.gmatch(string.sub(marker, 6), '%S+') do
          if change ~= ARGV[1] then table.insert(others, change) end
        end
      end
      redis.call('DEL', KEYS[1])
      if #others > 0 and remaining > 0 then
        redis.call('SET', KEYS[1], 'busy ' .. table.concat(others, ' '), 'PX', remaining)
      else
        redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
      end
      return 1`,
}
