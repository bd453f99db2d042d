import { readFile } from 'node:fs/promises'

/** Returns how many files and connections this process may have open; undefined if the system does not say. */
export async function openFileLimit(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const [, limit] = /^Max open files\s+(\d+)/m.exec(limits) ?? []
  return limit === undefined ? undefined : Number(limit)
}
