/**
 * Runs every check that does not need a running service, two at a time. A check that passes prints one line, and its notes.
 *
 *   node scripts/check.ts    exits with 1 if a check fails, after its output
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { installTestClients } from './testClients.ts'
import { typeCheck } from './typeCheck.ts'

interface Check {
  name: string
  command: string
  wayOut?: string
}

/** The other checks load the declarations too, so an error there is reported once. */
const first: Check = { name: 'declarations', command: 'node scripts/declarations.ts' }

const checks: readonly Check[] = [
  { name: 'types', command: typeCheck },
  { name: 'migrations lead to the schema', command: 'node --disable-warning=ExperimentalWarning scripts/makeMigration.ts --check' },
  {
    name: 'lint and format',
    command: 'biome check --error-on-warnings --colors=off',
    wayOut: 'npm run format fixes formatting and import order',
  },
  { name: 'import table', command: 'node scripts/imports.ts' },
  { name: 'plain English', command: 'node scripts/language.ts' },
  {
    name: 'nothing unused',
    command: 'knip',
    wayOut:
      'Delete what is unused. A value that only its file uses needs no `export`. A file that a path starts is an entry of knip.config.ts',
  },
  { name: 'no state in modules', command: 'node scripts/moduleState.ts' },
  { name: 'no package twice', command: 'node scripts/packagesTwice.ts' },
  { name: 'limits of the source', command: 'node scripts/sourceLimits.ts' },
  { name: 'kept rows are written in transactions', command: 'node scripts/factWriters.ts' },
  { name: 'lists are complete', command: 'node scripts/completeLists.ts' },
  { name: 'register of operations', command: 'node scripts/operations.ts --check' },
  { name: 'generated documents', command: 'node scripts/docs.ts --check' },
]

installTestClients()
if (!(await passes(first))) {
  process.stdout.write('The other checks were not run.\n')
  process.exit(1)
}
// Both workers take the next check from the same iterator.
const waiting = checks.values()
const results = await Promise.all([work(), work()])
process.exit(results.flat().every(Boolean) ? 0 : 1)

async function work(): Promise<boolean[]> {
  const passed: boolean[] = []
  for (const check of waiting) passed.push(await passes(check))
  return passed
}

async function passes({ name, command, wayOut }: Check): Promise<boolean> {
  const start = performance.now()
  const { code, output } = await run(command)
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)\n`)
  for (const note of output.match(/^note: .*$/gm) ?? []) process.stdout.write(`      ${note}\n`)
  if (code !== 0) process.stdout.write(`\n$ ${command}\n${output.trimEnd()}\n${wayOut ? `\n${wayOut}\n` : ''}\n`)
  return code === 0
}

async function run(command: string): Promise<{ code: number | null; output: string }> {
  const [file = '', ...args] = command.split(' ')
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const code = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const [out, errors] = await Promise.all([text(child.stdout), text(child.stderr), code])
  return { code: await code, output: out + errors }
}
