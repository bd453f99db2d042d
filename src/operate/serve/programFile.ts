import { readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** The modules with which a process begins. The bundle has one file for each. */
export const programs = ['operate/serve/runService', 'operate/serve/supervise', 'operate/serve/openLog', 'operate/cli/commandLine'] as const
export type Program = (typeof programs)[number]

/** A source file of the bundle: its path below `root`, its size in bytes and the second of its last change. */
export type BundledSource = [path: string, size: number, changed: number]

export const root = fileURLToPath(new URL('../../..', import.meta.url))
export const bundleFolder = 'src/gen/bundle'
export const sourceList = `${bundleFolder}/sources.json`

/**
 * Returns the URL of a program: in the bundle that `npm run generate` writes, or in the sources if there is no bundle or if a file has
 * changed since then. The bundle starts in less time and memory, because Node loads few files instead of 2,500.
 * `RUN_FROM=source` or `bundle` decides without looking at the files: an image does not change.
 */
export function programUrl(program: Program, { RUN_FROM }: { RUN_FROM?: string | undefined }, folder = root): string {
  const isBundle = RUN_FROM === 'bundle' || (RUN_FROM !== 'source' && isBundleCurrent(folder))
  return pathToFileURL(join(folder, isBundle ? `${bundleFolder}/${basename(program)}.js` : `src/${program}.ts`)).href
}

function isBundleCurrent(folder: string): boolean {
  try {
    const sources: BundledSource[] = JSON.parse(readFileSync(join(folder, sourceList), 'utf8'))
    return sources.every(([path, size, changed]) => {
      const [, ...found] = bundledSource(path, folder)
      return found[0] === size && found[1] === changed
    })
  } catch {
    return false
  }
}

export function bundledSource(path: string, folder = root): BundledSource {
  const { size, mtimeMs } = statSync(join(folder, path))
  return [path, size, Math.floor(mtimeMs / 1000)]
}
