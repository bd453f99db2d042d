import { chmod, mkdir } from 'node:fs/promises'

/**
 * Creates a directory that only its owner can read. A directory that exists gets the same mode, unless it belongs to somebody else: a
 * directory of the operator, in which the service stores data, may be readable by everybody.
 */
export async function makePrivate(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700).catch(() => undefined)
}
