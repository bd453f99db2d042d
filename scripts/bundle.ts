/**
 * Writes src/gen/bundle: the programs with the packages that every process loads, in a few files. `src/operate/serve/programFile.mjs` chooses
 * between them and the sources.
 */
import { globSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import http from 'node:http'
import { basename, join, relative } from 'node:path'
import type { InputOptions } from 'rolldown'
import { bundledSource, bundleFolder, programs, root, sourceList, textFolder } from '../src/operate/serve/programFile.mjs'
import { compiledViews } from './compiledViews.ts'

/**
 * Packages that find their own files by the place of their code. Every other package is in the bundle, in a separate file if it is
 * imported on demand, so that no package exists twice in a process: `instanceof` is false for an object of the other copy.
 */
const separate = ['@electric-sql/pglite', '@prisma/client']

/** Koa compares each body with the `Response` of Node's fetch, which no handler returns. The name alone loads fetch, which takes 25 ms. */
const withoutFetch = {
  name: 'without-fetch',
  transform(code: string, id: string) {
    if (!/koa\/lib\/(?:application|response)\.js$/.test(id)) return undefined
    const changed = code.replaceAll(/\w+ instanceof Response\b/g, 'false')
    if (changed === code) throw new Error(`${id} no longer compares with Response: remove this plugin if Koa does not load fetch`)
    return { code: changed, map: null }
  },
}

/** Returns the folder of a module's package below `node_modules`; undefined for a module of ours. */
export const packageOf = (file: string): string | undefined =>
  /node_modules\/(.*node_modules\/)?(@[^/]+\/)?[^/]+/.exec(file)?.[0].slice('node_modules/'.length)

/** Escapes what is not Latin-1, such as the tables of character sets: V8 keeps a text with one such character in two bytes each. */
const asOneByte = (code: string): string =>
  code.replaceAll(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const isSeparate = (id: string): boolean => separate.some((name) => id === name || id.startsWith(`${name}/`))

/** Modules find templates and data next to the sources, also from the bundle. */
function withOwnPlace(code: string, id: string): { code: string; map: null } | undefined {
  if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta')) return undefined
  const path = JSON.stringify(relative(join(root, bundleFolder), id))
  const placed = code.replaceAll('import.meta.url', () => `new URL(${path}, import.meta.url).href`)
  if (/import\.meta\.(?!url)/.test(placed)) throw new Error(`${id}: the bundle supports import.meta.url only`)
  return { code: placed, map: null }
}

/** The declarations are checked when the bundle is written, which imports them. */
const unchecked = 'export const checkDeclaration = () => undefined, checkDescriptions = checkDeclaration'

/** Replaces what is compiled, parsed, rendered and checked when the bundle is written. */
const written = {
  name: 'written',
  resolveId: (id: string) => (id.endsWith('/codeTexts.ts') ? join(root, 'src/operate/compose/writtenTexts.ts') : undefined),
  load(id: string) {
    if (id === join(root, 'src/base/text/views.ts')) return { code: compiledViews(join(root, 'views')), map: null }
    return id === join(root, 'src/engine/declare/checkDeclaration.ts') ? { code: unchecked, map: null } : undefined
  },
}

const httpModule = '\0http'

/** An import of `node:http` reads each of its members, and some of them load the client of Node's fetch, which takes 30 ms. */
const lightHttp = {
  name: 'light-http',
  resolveId: (id: string) => (/^(node:)?http$/.test(id) ? httpModule : undefined),
  load(id: string) {
    if (id !== httpModule) return undefined
    const members = Object.entries(Object.getOwnPropertyDescriptors(http)).flatMap(([name, { get }]) => (get ? [] : [name]))
    return `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${members.join(', ')} } = http`
  },
}

/** Returns what rolldown bundles: the programs below a directory with their packages. Adds the modules that stay out to `separated`. */
export const bundleOptions = (cwd: string, separated = new Set<string>()): InputOptions => ({
  cwd,
  input: Object.fromEntries(programs.map((program) => [basename(program), `src/${program}.ts`])),
  platform: 'node',
  // A package of Koa's uses eval to name its deprecations.
  checks: { eval: false },
  external: (id) => isSeparate(id) && Boolean(separated.add(id)),
  plugins: [written, lightHttp, withoutFetch, { name: 'own-place', transform: withOwnPlace }],
})

/** Writes the bundle. A production install has no bundler: there the sources run, or the bundle that came with them. */
export async function writeBundle(): Promise<void> {
  const { rolldown } = await import('rolldown').catch(() => ({ rolldown: undefined }))
  if (!rolldown) return
  const directory = join(root, bundleFolder)
  await rm(directory, { recursive: true, force: true })
  const bundle = await rolldown(bundleOptions(root))
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    // The entry files of many packages have the same name, such as `index`.
    chunkFileNames: ({ facadeModuleId }) => `${packageOf(facadeModuleId ?? '')?.replaceAll('/', '-') ?? '[name]'}-[hash].js`,
    // A process holds the text of its programs: licences stay, documentation does not.
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await bundle.close()
  const { writeTexts } = await import('./writeTexts.ts')
  writeTexts(join(root, textFolder))
  for (const file of output) if (file.type === 'chunk') await writeFile(join(directory, file.fileName), asOneByte(file.code))
  const own = globSync(['src/**/*.{ts,mjs}', 'views/**/*.{ejs,yaml,json,md}'], { cwd: root }).filter((path) => !path.startsWith('src/gen/'))
  const sources = ['package.json', 'scripts/bundle.ts', 'scripts/compiledViews.ts', 'scripts/writeTexts.ts', ...own]
  await writeFile(join(root, sourceList), JSON.stringify(sources.map((path) => bundledSource(path))))
}
