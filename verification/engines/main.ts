/** `npm run test:engines`: runs the end-to-end and race suites on distributed engines, each started for the run on loopback. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Engine, engines } from './engines.ts'

const width = Math.max(...engines.map(({ name }) => name.length))
const help = `npm run test:engines [-- engine… [--files path…]]

Runs the suites of verification/engines/suites.ts on each engine, or on the named ones, and the tests of verification/engines, which fail over in the middle.
\`--files\` limits the run to these files or folders of the suites; it may be repeated. Exits with 1 if a test fails. It needs PostgreSQL (TEST_DATABASE_URL), redis-server, pgbouncer and the programs of PostgreSQL.

${engines.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')}
  ${'fail-overs'.padEnd(width)}  the tests of verification/engines`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { files: { type: 'string', multiple: true, default: [] }, help: { type: 'boolean', default: false } },
})
const isPartial = values.files.length > 0
const root = resolve(import.meta.dirname, '../..')
const names = [...engines.map(({ name }) => name), 'fail-overs']
const unknown = positionals.filter((name) => !names.includes(name))

if (values.help) process.stdout.write(`${help}\n`)
else if (unknown.length > 0) {
  process.stderr.write(`unknown engine ${unknown.join(', ')}. Engines: ${names.join(', ')}\n`)
  process.exitCode = 1
} else process.exitCode = await runAll(positionals.length > 0 ? positionals : names)

async function runAll(chosen: readonly string[]): Promise<number> {
  const results: { name: string; code: number; seconds: number }[] = []
  for (const name of chosen) {
    const engine = engines.find((one) => one.name === name)
    process.stdout.write(`\n== ${engine?.about ?? 'fail-overs in the middle'}\n`)
    const start = performance.now()
    const code = engine ? await runOn(engine) : await vitest(['verification/engines'], {})
    results.push({ name, code, seconds: Math.round((performance.now() - start) / 1000) })
  }
  for (const { name, code, seconds } of results) process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'}  ${name} (${seconds} s)\n`)
  return results.every(({ code }) => code === 0) ? 0 : 1
}

async function runOn({ name, start, files }: Engine): Promise<number> {
  const isOf = (path: string): boolean => files.some((file) => path === file || path.startsWith(`${file}/`))
  const chosen = isPartial ? values.files.filter(isOf) : files
  if (chosen.length === 0) {
    process.stdout.write(`${name} has none of these files:\n${files.map((file) => `  ${file}`).join('\n')}\n`)
    return 1
  }
  const { environment, problems = async () => [], stop } = await start({ isPartial })
  try {
    const code = await vitest(chosen, environment)
    const found = await problems()
    for (const problem of found) process.stdout.write(`PROBLEM ${problem}\n`)
    return found.length > 0 ? 1 : code
  } finally {
    await stop()
  }
}

/** Runs Vitest. A missing server is a failure here, because a run must not leave tests out. */
async function vitest(files: readonly string[], environment: Record<string, string>): Promise<number> {
  const child = spawn('vitest', ['run', ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...environment, NO_COLOR: '1', REQUIRE_SERVICES: '1', TEST_ENGINE: '1' },
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}
