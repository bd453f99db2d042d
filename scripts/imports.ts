/**
 * Checks src of the working directory against the import table (scripts/importTable.ts), and that the queries of the domain and the
 * resources are built with Kysely, over handles of one school.
 *
 *   node scripts/imports.ts    exits with 1 and lists every import that the table forbids
 */
import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import type { ICruiseResult } from 'dependency-cruiser'
import { importRules } from './importRules.ts'
import { fail } from './modules.ts'
import { handlesWithoutSchool } from './schoolHandles.ts'
import { untypedPlaces } from './untypedSql.ts'

const root = resolve(import.meta.dirname, '..')
const cruiser = resolve(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs')

const { stdout, stderr } = spawnSync(
  process.execPath,
  [cruiser, '--config', resolve(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'src'],
  { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
)
if (!stdout.startsWith('{')) fail(`dependency-cruiser did not run:\n${stderr || stdout}`)
const { summary }: ICruiseResult = JSON.parse(stdout)

// Without a supported TypeScript compiler, dependency-cruiser reads no file and still exits with 0.
if (summary.totalCruised === 0) fail('no module was read: check that the package "typescript" provides the API of TypeScript 6')

const fieldErrors = summary.violations.map(({ from, to, rule, cycle }) => {
  const why = importRules.find(({ name }) => name === rule.name)?.comment
  const path = cycle ? [from, ...cycle.map(({ name }) => name)].join(' -> ') : `${from} -> ${to}`
  return `${path}\n  ${rule.name}: ${why}`
})
if (fieldErrors.length > 0)
  fail(
    `${fieldErrors.join('\n')}\n\nIf a module needs something that it may not import, pass it in as an argument. The table is scripts/importTable.ts; ARCHITECTURE.md prints it.`,
  )
const statements = untypedPlaces().map(({ place, problem }) => `${place}\n  Kysely only: ${problem}`)
if (statements.length > 0) fail(statements.join('\n'))
const unrestricted = handlesWithoutSchool().map(({ place, problem }) => `${place}\n  handle of one school: ${problem}`)
if (unrestricted.length > 0) fail(unrestricted.join('\n'))
process.stdout.write(`${summary.totalCruised} modules, no forbidden import\n`)
