// @ts-check
import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The modules with which a process begins. The bundle has one file for each. */
export const programs = /** @type {const} */ ([
  'operate/serve/runService',
  'operate/serve/supervise',
  'operate/serve/openLog',
  'operate/cli/commandLine',
])

/**
 * A source file of the bundle: its path below `root`, its size in bytes and the second of its last change.
 * @typedef {[path: string, size: number, changed: number]} BundledSource
 */

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const bundleFolder = 'src/gen/bundle'
export const textFolder = 'src/gen/texts'
export const sourceList = `${bundleFolder}/sources.json`

/**
 * Returns the URL of a program: in the bundle that `npm run generate` writes, or in the sources if there is no bundle or if a file has
 * changed since then. The bundle starts in less time and memory, because Node loads few files instead of 2,500.
 * `RUN_FROM=source` or `bundle` decides without looking at the files: an image does not change.
 * @param {(typeof programs)[number]} program
 * @param {{ RUN_FROM?: string | undefined }} environment
 */
export function programUrl(program, { RUN_FROM }, folder = root) {
  const isBundle = RUN_FROM === 'bundle' || (RUN_FROM !== 'source' && isBundleCurrent(folder))
  return pathToFileURL(join(folder, isBundle ? `${bundleFolder}/${basename(program)}.js` : `src/${program}.ts`)).href
}

/** @param {string} folder */
function isBundleCurrent(folder) {
  try {
    /** @type {BundledSource[]} */
    const sources = JSON.parse(readFileSync(join(folder, sourceList), 'utf8'))
    return sources.every(([path, size, changed]) => {
      const [, ...found] = bundledSource(path, folder)
      return found[0] === size && found[1] === changed
    })
  } catch {
    return false
  }
}

/**
 * @param {string} path
 * @returns {BundledSource}
 */
export function bundledSource(path, folder = root) {
  const { size, mtimeMs } = statSync(join(folder, path))
  return [path, size, Math.floor(mtimeMs / 1000)]
}
