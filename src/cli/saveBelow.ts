import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { errorCode } from '../lib/errorCode.ts'
import { failure } from './failures.ts'

/** Relative paths with `/`, of names that every file system takes and that cannot leave the directory. */
const safeName = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}(\/[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}){0,7}$/

/** Saves a new file below a directory, readable by its owner only. Never replaces a file. */
export async function saveBelow(directory: string, name: string, contents: AsyncIterable<Uint8Array>): Promise<void> {
  if (!safeName.test(name)) throw failure(`the name of a file is not allowed: ${name}`)
  const path = join(directory, name)
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await pipeline(contents, createWriteStream(path, { flags: 'wx', mode: 0o600 }))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EEXIST') throw failure(`${path} exists: choose an empty directory`)
    if (code === 'EACCES' || code === 'EROFS' || code === 'ENOSPC' || code === 'ENOTDIR')
      throw failure(`cannot write ${path} (${code}): choose another directory`)
    throw error
  }
}
