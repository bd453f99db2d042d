/**
 * Writes src/gen: the Prisma client and the Kysely table types, from prisma/schema.prisma. Works without a network.
 *
 * The Prisma CLI looks for an engine binary that `generate` never starts, and would download it. It is given a file that exists.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'

let cli: string
try {
  cli = createRequire(import.meta.url).resolve('prisma/build/index.js')
} catch {
  // A production install has no Prisma CLI: the build stage has made src/gen before.
  process.exit(existsSync('src/gen') ? 0 : 1)
}

const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'generate', ...process.argv.slice(2)], {
  encoding: 'utf8',
  env: { PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1', PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, ...process.env },
})
if (status !== 0) process.stderr.write(`${stdout}${stderr}`)
process.exit(status ?? 1)
