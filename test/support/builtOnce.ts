import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * Returns a file that is slow to build. If several processes need it, one builds it and the others wait. `build` writes it to the path that
 * it is given.
 */
export async function builtOnce(file: string, build: (draft: string) => Promise<void>): Promise<string> {
  await mkdir(dirname(file), { recursive: true })
  const lock = `${file}.lock`
  while (!existsSync(file)) {
    if (await isLocked(lock)) {
      await delay(50)
      continue
    }
    const draft = `${file}.${process.pid}`
    try {
      // Another process may have finished it in the meantime.
      if (existsSync(file)) return file
      await build(draft)
      await rename(draft, file)
    } finally {
      await rm(draft, { force: true })
      await rm(lock, { force: true })
    }
  }
  return file
}

/** Takes the lock, and returns false; or returns true if another process that is running holds it. */
async function isLocked(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' })
    return false
  } catch {
    const owner = Number(await readFile(lock, 'utf8').catch(() => ''))
    // A lock is empty for a moment before its content is written.
    if (owner > 0 && !isRunning(owner)) await rm(lock, { force: true })
    return true
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
