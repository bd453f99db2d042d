import { readFileSync, statSync } from 'node:fs'
import { getSystemErrorMessage } from 'node:util'
import { errorCode } from '../base/log/errorCode.ts'

const maxBytes = 256 * 1024

/**
 * Returns the text of a configuration file; undefined if it does not exist.
 * @throws ConfigFileError
 */
export function readConfigFile(path: string): string | undefined {
  let bytes: Buffer
  try {
    const stat = statSync(path)
    // Reading a pipe or a device would never end.
    if (!stat.isFile()) throw new ConfigFileError('must be a regular file')
    if (stat.size > maxBytes) throw new ConfigFileError(`must have at most ${maxBytes} bytes`)
    bytes = readFileSync(path)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error instanceof ConfigFileError ? error : new ConfigFileError(`cannot be read: ${reasonOf(error)}`)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ConfigFileError('must be text in UTF-8')
  }
}

export class ConfigFileError extends Error {}

export const isMissing = (error: unknown): boolean => errorCode(error) === 'ENOENT'

export function reasonOf(error: unknown): string {
  const { errno, message } = error as NodeJS.ErrnoException
  return errno === undefined ? message : getSystemErrorMessage(errno)
}
