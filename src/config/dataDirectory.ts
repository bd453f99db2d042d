import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from './configErrors.ts'
import { reasonOf } from './configFile.ts'
import type { Environment } from './environment.ts'

/** Maps each server variable to the data that is stored in DATA_DIR if the variable is not set. */
const keptOnDisk = {
  DATABASE_URL: 'the database',
  STORAGE_URL: 'files',
  SMTP_URL: 'e-mails',
} as const satisfies Partial<Record<keyof Environment, string>>

/**
 * Checks that DATA_DIR is writable if the service stores anything there. Leaves the directory unchanged.
 * @throws ConfigError
 */
export function checkDataDirectory(environment: Environment): void {
  const kept: string[] = Object.entries(keptOnDisk).flatMap(([name, what]) => (environment[name as keyof typeof keptOnDisk] ? [] : [what]))
  if (!environment.SECRET_KEY && !environment.SECRET_KEY_FILE) kept.push('the secret key')
  if (kept.length === 0) return
  const directory = resolve(environment.DATA_DIR)
  const made: string[] = []
  try {
    makeDirectory(directory, made)
    const probe = join(directory, `.probe-${randomUUID()}`)
    writeFileSync(probe, '')
    rmSync(probe)
  } catch (error) {
    const expected = `${directory} must be writable to store ${kept.join(', ')} (${reasonOf(error)}): make it a writable directory`
    throw new ConfigError([{ file: 'environment', key: 'DATA_DIR', expected }])
  } finally {
    removeEmpty(made)
  }
}

/** Creates a directory and its parents, and adds them to `made`. Node's recursive mkdir never returns under /proc. */
function makeDirectory(path: string, made: string[]): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path), made)
  mkdirSync(path, { mode: 0o700 })
  made.push(path)
}

function removeEmpty(made: readonly string[]): void {
  try {
    for (const directory of made.toReversed()) rmdirSync(directory)
  } catch {
    // The directory is not empty: another process uses it by now.
  }
}
