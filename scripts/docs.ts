/**
 * Writes the generated documents.
 *
 *   node scripts/docs.ts           writes them
 *   node scripts/docs.ts --check   exits with 1 and lists the stale ones
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { renderManual } from '../src/config/manual.ts'
import { renderSchema } from '../src/config/renderSchema.ts'
import { renderAgents } from './renderAgents.ts'
import { renderArchitecture } from './renderArchitecture.ts'
import { renderAudit } from './renderAudit.ts'
import { renderOperate } from './renderOperate.ts'

/** The current content of each generated document, by its path from the working directory. */
const documents: { path: string; render(): string | Promise<string> }[] = [
  { path: 'config/README.md', render: renderManual },
  { path: 'config/schema.json', render: renderSchema },
  { path: 'ARCHITECTURE.md', render: renderArchitecture },
  { path: 'docs/agents.md', render: renderAgents },
  { path: 'docs/audit.md', render: renderAudit },
  { path: 'docs/operate.md', render: renderOperate },
]

const stale: string[] = []
for (const { path, render } of documents) {
  const text = await render()
  if ((await readFile(path, 'utf8').catch(() => undefined)) === text) continue
  stale.push(path)
  if (process.argv.includes('--check')) continue
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  process.stdout.write(`${path}\n`)
}
if (process.argv.includes('--check') && stale.length > 0) {
  process.stderr.write(`not up to date: ${stale.join(', ')}. Run: npm run docs\n`)
  process.exit(1)
}
