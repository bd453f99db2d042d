import type { RedisClient } from '../../database/redis/redis.ts'

interface ArtifactScripts {
  sgFind(
    key: string,
    epochKey: string,
    schoolPrefix: string,
    callerTag: string,
  ): Promise<[fields: (string | null)[], markers: (string | null)[]]>
  sgSave(key: string, milliseconds: number, ...hash: string[]): Promise<number>
  sgSaveOnce(key: string, milliseconds: number, ...hash: string[]): Promise<number>
  sgConsume(key: string, now: number): Promise<number>
  sgIndex(key: string, now: number, expiresAt: number, milliseconds: number, id: string): Promise<number>
  sgMark(key: string, value: string, seconds: number): Promise<number>
}

// Reads the artefact, and the markers that it names.
const findScript = `
  local fields = redis.call('HMGET', KEYS[1], 'p', 'g', 'l', 'a', 't', 'c', 'dl', 'da', 'gt', 'lt')
  local school = ARGV[1]
  local caller = ARGV[2]
  local function fact(kind, key) return school .. 'fact:' .. kind .. ':' .. (key or '') end
  if not fields[1] then return { {}, redis.call('MGET', KEYS[2], fact('client', caller)) } end
  local grant, client = table.remove(fields, 9), table.remove(fields, 9)
  if caller == '' then caller = fields[7] end
  return { fields, redis.call('MGET', KEYS[2], fact('client', caller), fact('grant', grant), fact('client', client),
    fact('account', fields[4] or fields[8]),
    school .. 'grant-ended:' .. (grant or ''), school .. 'client-ended:' .. (client or '')) }`

/**
 * Each works on the one key that it names, except `sgFind`: it reads the markers that the artefact names, which are keys of the same school
 * and thus in the same slot.
 *
 * A Redis that has reached `maxmemory` refuses the first write of a script when that write can need memory, and lets everything pass after
 * any other write (Redis: "Eval scripts"). So tokens are written by a first HSET, which a full Redis refuses with nothing done, and
 * revocation markers after a DEL, which it never refuses.
 */
export function defineScripts(redis: RedisClient): ArtifactScripts {
  const write = `
    if tonumber(ARGV[1]) > 0 then redis.call('HSET', KEYS[1], unpack(ARGV, 2)) end
    redis.call('DEL', KEYS[1])
    if tonumber(ARGV[1]) <= 0 then return 1 end
    redis.call('HSET', KEYS[1], unpack(ARGV, 2))
    redis.call('PEXPIRE', KEYS[1], ARGV[1])`
  const lua = {
    // Writing an artefact again keeps it consumed.
    sgSave: `
      local consumed = redis.call('HGET', KEYS[1], 'c')${write}
      if consumed then redis.call('HSET', KEYS[1], 'c', consumed) end
      return 1`,
    sgSaveOnce: `
      if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end${write}
      return 1`,
    // HSETNX alone would bring an expired key back, without an expiry.
    sgConsume: `
      if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
      return redis.call('HSETNX', KEYS[1], 'c', ARGV[1])`,
    // Ids by the time of their expiry; the index lives as long as the longest of them, and forgets the expired.
    sgIndex: `
      redis.call('ZADD', KEYS[1], ARGV[2], ARGV[4])
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1])
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
      return 1`,
    sgMark: `
      redis.call('DEL', KEYS[1])
      redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
      return 1`,
  } satisfies Record<Exclude<keyof ArtifactScripts, 'sgFind'>, string>
  for (const [name, script] of Object.entries(lua)) redis.defineCommand(name, { numberOfKeys: 1, lua: script })
  redis.defineCommand('sgFind', { numberOfKeys: 2, lua: findScript })
  return redis as unknown as ArtifactScripts
}
