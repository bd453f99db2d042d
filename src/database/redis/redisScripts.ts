import type { RedisClient } from './redis.ts'

/** Defines scripts as commands of the client, and returns the client as the object of these commands. */
export function defineScripts<Scripts>(
  redis: RedisClient,
  scripts: Readonly<Record<keyof Scripts & string, string>>,
  numberOfKeys = 1,
): Scripts {
  for (const [name, lua] of Object.entries<string>(scripts)) redis.defineCommand(name, { numberOfKeys, lua })
  return redis as RedisClient & Scripts
}
