/**
 * Deletes the files of node_modules that no production process reads.
 *
 *   node scripts/pruneProduction.ts    in the build stage of the image, after `npm ci --omit=dev --omit=optional`
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Declarations of types, source maps, builds for browsers and other module systems, query compilers of other databases. */
const unneeded: readonly RegExp[] = [
  /\.d\.[cm]?ts$/,
  /\.map$/,
  /(?:^|\/)@types\//,
  /(?:^|\/)swagger-ui-dist\/swagger-ui(?:-es-bundle(?:-core)?|-standalone-preset)?\.js$/,
  /(?:^|\/)@prisma\/client\/runtime\/query_compiler_small_/,
  /(?:^|\/)@prisma\/client\/runtime\/.*\.wasm-base64\.js$/,
  /(?:^|\/)@prisma\/client\/runtime\/query_compiler_fast_bg\.(?!postgresql\.).*\.wasm-base64\.mjs$/,
]

/** True if no production process reads this file of node_modules. */
export const isUnneeded = (path: string): boolean => unneeded.some((pattern) => pattern.test(path))

if (import.meta.main) {
  for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isDirectory() && isUnneeded(path)) rmSync(path)
  }
}
