// @ts-check
import { existsSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

/**
 * Keeps the compiled code of every module in DATA_DIR, without types, so that a second start compiles nothing. Not in Node's standard
 * folder for temporary files, where another user could place code. Without the folder the service starts as well, only slower.
 * Node writes the code when the process ends. Writing it earlier would block all requests for more than a second.
 * @param {{ DATA_DIR?: string | undefined, NODE_COMPILE_CACHE?: string | undefined }} environment
 */
export function keepCompiledCode({ DATA_DIR, NODE_COMPILE_CACHE: given }) {
  if (given !== undefined) return
  const dataDirectory = DATA_DIR || './data'
  const directory = join(dataDirectory, 'compile-cache')
  try {
    // Node would create DATA_DIR readable by everybody. Not recursive: that never returns under /proc.
    for (const path of [dataDirectory, directory]) if (!existsSync(path)) mkdirSync(path, { mode: 0o700 })
    enableCompileCache(directory)
  } catch {
    // The start reports a DATA_DIR that it cannot use.
  }
}
