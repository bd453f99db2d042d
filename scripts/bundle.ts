/**
 * Writes src/gen/bundle: the programs with the packages that every process loads, in a few files. `src/wiring/programFile.ts` chooses
 * between them and the sources.
 */
import { rm, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { bundledSource, bundleFolder, programs, root, sourceList } from '../src/wiring/programFile.ts'

/** Packages that a process loads on demand, or that find their own files by the place of their code. */
const separate = [
  '@aws-sdk',
  '@electric-sql/pglite',
  '@modelcontextprotocol',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@prisma',
  '@zxcvbn-ts',
  'file-type',
  'nodemailer',
  'pglite-prisma-adapter',
  'pino-pretty',
]

const isSeparate = (id: string): boolean => separate.some((name) => id === name || id.startsWith(`${name}/`))

/** Modules find templates and data next to the sources, also from the bundle. */
function withOwnPlace(code: string, id: string): { code: string; map: null } | undefined {
  if (!id.startsWith(join(root, 'src')) || !code.includes('import.meta')) return undefined
  const path = JSON.stringify(relative(join(root, bundleFolder), id))
  const placed = code.replaceAll('import.meta.url', () => `new URL(${path}, import.meta.url).href`)
  if (/import\.meta\.(?!url)/.test(placed)) throw new Error(`${id}: the bundle supports import.meta.url only`)
  return { code: placed, map: null }
}

/** Writes the bundle. A production install has no bundler: there the sources run, or the bundle that came with them. */
export async function writeBundle(): Promise<void> {
  const { rolldown } = await import('rolldown').catch(() => ({ rolldown: undefined }))
  if (!rolldown) return
  const directory = join(root, bundleFolder)
  await rm(directory, { recursive: true, force: true })
  const bundle = await rolldown({
    cwd: root,
    input: Object.fromEntries(programs.map((program) => [basename(program), `src/${program}.ts`])),
    platform: 'node',
    // A package of Koa's uses eval to name its deprecations.
    checks: { eval: false },
    external: isSeparate,
    plugins: [{ name: 'own-place', transform: withOwnPlace }],
  })
  const { output } = await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    // A process holds the text of its programs: licences stay, documentation does not.
    comments: { legal: true, annotation: false, jsdoc: false },
  })
  await bundle.close()
  const files = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []))
  const own = files.map((file) => relative(root, file)).filter((path) => /^(src|views)\//.test(path) && !path.startsWith('src/gen/'))
  await writeFile(join(root, sourceList), JSON.stringify(['package.json', ...own].map((path) => bundledSource(path))))
}
