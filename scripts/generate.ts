/**
 * Writes src/gen: the Prisma client and the Kysely table types, from prisma/schema.prisma, an empty cluster of the embedded database, and the
 * bundle of the programs.
 * Works without a network.
 *
 * The Prisma CLI looks for an engine binary that `generate` never starts, and would download it. It gets the path of an existing file instead.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { writeBundle } from './bundle.ts'

/** Replaces a part of the CLI that would need 130 MB more. */
const withoutStudio = new URL('withoutStudio.mjs', import.meta.url).href

let cli: string
try {
  cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
} catch {
  // A production install has no Prisma CLI: the build stage has already generated src/gen.
  process.exit(existsSync('src/gen') ? 0 : 1)
}

const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', withoutStudio, cli, 'generate', ...process.argv.slice(2)], {
  encoding: 'utf8',
  env: { PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
})
if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
else {
  await writeEmptyCluster('src/gen/embedded')
  await writeBundle()
}
process.exit(status ?? 1)

/** Runs initdb once, so that the first start of the service does not need its 500 MB of memory. */
async function writeEmptyCluster(directory: string): Promise<void> {
  const { version } = JSON.parse(await readFile('node_modules/@electric-sql/pglite/package.json', 'utf8')) as { version: string }
  const [image, stamp] = [join(directory, 'image.tar.gz'), join(directory, 'version')]
  if (existsSync(image) && existsSync(stamp) && (await readFile(stamp, 'utf8')) === version) return
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
  const { PGlite } = await import('@electric-sql/pglite')
  const pglite = await PGlite.create()
  const cluster = await pglite.dumpDataDir('gzip')
  await pglite.close()
  await mkdir(directory, { recursive: true })
  await writeFile(image, Buffer.from(await cluster.arrayBuffer()))
  await writeFile(stamp, version)
}
