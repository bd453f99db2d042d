/**
 * Deletes the unused files of node_modules.
 *
 *   node scripts/prunePackages.ts                  in the build stage of the image, after `npm ci --omit=dev --omit=optional`
 *   node scripts/prunePackages.ts --development    after `npm ci`: keeps what compilers, linters and tests read
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Source maps, fonts that no page loads, query compilers of other databases, builds for other module systems, headers of Node for native modules. */
const unneededAnywhere: readonly RegExp[] = [
  /\.map$/,
  /(?:^|\/)@prisma\/client\/runtime\/query_compiler_small_/,
  /(?:^|\/)@prisma\/client\/runtime\/.*\.wasm-base64\.js$/,
  /(?:^|\/)@prisma\/client\/runtime\/query_compiler_fast_bg\.(?!postgresql\.).*\.wasm-base64\.mjs$/,
  /(?:^|\/)effect\/src\//,
  /(?:^|\/)@resvg\/resvg-wasm\/index(?:\.min)?\.js$/,
  /(?:^|\/)@fontsource(?:-variable)?\/[\w-]+\/(?:scss\/|[\w-]+\.css$|files\/(?!.*-latin(?:-ext)?-(?:wght|400|700)-normal\.woff2$))/,
  /(?:^|\/)@zxcvbn-ts\/[\w-]+\/(?:src\/|dist\/(?:.*\.mjs|.*\.esm\.js|zxcvbn-ts(?:\.min)?\.js)$)/,
  /(?:^|\/)node\/node_modules\/node-[\w-]+\/include\//,
]

/** Type declarations. */
const unneededInProduction: readonly RegExp[] = [...unneededAnywhere, /\.d\.[cm]?ts$/, /(?:^|\/)@types\//]

/** True if no production process reads this file of node_modules. */
export const isUnneeded = (path: string): boolean => unneededInProduction.some((pattern) => pattern.test(path))

if (import.meta.main) {
  const patterns = process.argv.includes('--development') ? unneededAnywhere : unneededInProduction
  for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isDirectory() && patterns.some((pattern) => pattern.test(path))) rmSync(path)
  }
}
