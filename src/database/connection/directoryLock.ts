import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { pid } from 'node:process'
import { DatabaseSync } from 'node:sqlite'

export interface DirectoryLock {
  release(): void
}

/**
 * Holds a directory for this process alone.
 *
 * The lock is one of the operating system, taken by SQLite on an empty file next to the directory: it ends with the process, however
 * that ends, so nothing stale is left behind. It also holds between containers that share a volume, where process ids mean nothing.
 * @throws Error naming the holder and the way out where another process, or this one, holds the directory.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const holderFile = `${directory}.holder`
  const file = lockFile(`${directory}.lock`)
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    throw new Error(
      `the data in ${directory} is in use by ${readHolder(holderFile)}. Stop that process first, ` +
        'give this one another data directory, or set DATABASE_URL: several processes need a PostgreSQL server',
      { cause },
    )
  }
  writeFileSync(holderFile, `process ${pid} on ${hostname()}, since ${new Date().toISOString()}`)
  return {
    release() {
      if (!file.isOpen) return
      rmSync(holderFile, { force: true })
      file.close()
    },
  }
}

function lockFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: 0 })
  } catch (cause) {
    throw new Error(`cannot make the lock ${path}: is its directory there, and writable for this user?`, { cause })
  }
}

function readHolder(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return 'another process'
  }
}
