/**
 * Writes the generated documents.
 *
 *   node scripts/docs.ts                  writes them
 *   node scripts/docs.ts --check          exits with 1 and lists the stale ones
 *   node scripts/docs.ts [--check] PATH…  only these, or those in these folders
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { renderManual } from '../src/config/manual.ts'
import { renderSchema } from '../src/config/renderSchema.ts'
import { documentsFromDatabase, placesFromDatabase } from './documents/fromDatabase.ts'
import { renderEmailOperations } from './documents/renderEmailOperations.ts'
import { renderGallery } from './gallery.ts'
import { renderAgents } from './renderAgents.ts'
import { renderArchitecture } from './renderArchitecture.ts'
import { renderAudit } from './renderAudit.ts'
import { renderCaching } from './renderCaching.ts'
import { renderIntegrate } from './renderIntegrate.ts'
import { renderOperate } from './renderOperate.ts'
import { renderTests } from './renderTests.ts'

/** Returns the current content of a document, by its path from the working directory. */
const renderers: Record<string, () => string | Promise<string>> = {
  'config/README.md': renderManual,
  'config/schema.json': renderSchema,
  'ARCHITECTURE.md': renderArchitecture,
  'docs/agents.md': renderAgents,
  'docs/audit.md': renderAudit,
  'docs/caching.md': renderCaching,
  'docs/integrate.md': renderIntegrate,
  'docs/operate.md': renderOperate,
  'docs/screenshots/README.md': renderGallery,
  'src/agents/api/emailOperations.ts': renderEmailOperations,
  'test/README.md': renderTests,
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { check: { type: 'boolean' } } })
const isAsked = (path: string): boolean =>
  positionals.length === 0 || positionals.some((place) => path === place || path.startsWith(`${place}/`))

const documents = new Map<string, string>()
for (const [path, render] of Object.entries(renderers)) if (isAsked(path)) documents.set(path, await render())
const places = placesFromDatabase.filter(isAsked)
if (places.length > 0) for (const [path, text] of await documentsFromDatabase().catch(fail)) if (isAsked(path)) documents.set(path, text)

const stale: string[] = []
for (const [path, text] of documents) {
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue
  stale.push(path)
  if (values.check) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  process.stdout.write(`${path}\n`)
}
for (const place of places) {
  // A place that is a file has no entries.
  for (const name of await readdir(place).catch(() => [])) {
    const path = join(place, name)
    if (documents.has(path)) continue
    stale.push(path)
    if (!values.check) await rm(path)
  }
}
if (values.check && stale.length > 0) {
  process.stderr.write(`not up to date: ${stale.join(', ')}. Run: npm run docs\n`)
  process.exit(1)
}

function fail(error: Error): never {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
