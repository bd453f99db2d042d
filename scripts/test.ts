/**
 * Runs the checks and the tests.
 *
 *   npm test                      all checks, then all tests except the long ones
 *   npm test -- --long            all checks, then all tests
 *   npm test -- --long --rerun    the same, and runs test files that failed once more, alone, to find the unstable ones
 *   npm test -- --changed [ref]   the type check, and the tests nearest to what differs from HEAD or from the ref
 *   npm test -- …                 any other arguments go to `vitest run`: a path, `--project unit`, `-t 'part of the name'`
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { readTestGraph } from './relatedTests.ts'
import { installTestClients } from './testClients.ts'
import { typeCheck } from './typeCheck.ts'

/** The maximum number of related files, so that a run takes less than a minute. The whole run includes the others. */
const maxRelated = 15
const root = resolve(import.meta.dirname, '..')

const args = process.argv.slice(2)
const [isLong, isRerun] = [take('--long'), take('--rerun')]
if (args[0] === '--changed') process.exit(await testChanges(args.slice(1)))
else if (args.length > 0) process.exit(await run('vitest', ['run', ...args]))
else process.exit((await run('node', ['scripts/check.ts'])) || (await testAll(isLong ? [] : ['--project', '!long'])))

/** Removes an option from the arguments. Returns whether it was there. */
function take(option: string): boolean {
  const at = args.indexOf(option)
  if (at >= 0) args.splice(at, 1)
  return at >= 0
}

async function testAll(chosen: string[]): Promise<number> {
  return isRerun ? await testTwice(chosen) : await run('vitest', ['run', ...chosen])
}

/** Runs a command with this terminal and returns its exit code. */
async function run(command: string, rest: string[]): Promise<number> {
  const child = spawn(command, rest, { cwd: root, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

async function testChanges([first = '-', ...others]: string[]): Promise<number> {
  const [ref, rest] = first.startsWith('-') ? ['HEAD', [first, ...others].filter((word) => word !== '-')] : [first, others]
  const git = (...words: string[]): string[] => execFileSync('git', words, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)
  const changed = [...git('diff', '--name-only', ref), ...git('ls-files', '--others', '--exclude-standard')]
  const graph = readTestGraph()
  const related = [...new Set(changed.flatMap((file) => graph.relatedTo(file)))]
  const chosen = related.slice(0, maxRelated)
  process.stdout.write(`${changed.length} changed files, ${related.length} related test files\n`)
  for (const file of related.slice(maxRelated)) process.stdout.write(`only in the whole run: ${file}\n`)
  installTestClients()
  const [command = '', ...words] = typeCheck.split(' ')
  const codes = await Promise.all([run(command, words), chosen.length > 0 ? run('vitest', ['run', ...chosen, ...rest]) : 0])
  return Math.max(...codes)
}

interface Report {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

/** Runs all tests. Files that failed run once more, one at a time; the second run decides the result. */
async function testTwice(rest: string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'schoolgate-report-'))
  const file = join(directory, 'report.json')
  try {
    const code = await run('vitest', ['run', ...rest, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`])
    if (code === 0) return 0
    const { testResults }: Report = JSON.parse(readFileSync(file, 'utf8'))
    const failed = testResults.filter(({ status }) => status === 'failed')
    // The error occurred outside all test files.
    if (failed.length === 0) return code
    const files = failed.map(({ name }) => relative(root, name))
    process.stdout.write(`\n== ${files.length} test files failed and run once more, alone\n`)
    const second = await run('vitest', ['run', ...files, '--maxWorkers=1'])
    process.stdout.write(second === 0 ? '\n== UNSTABLE: these tests failed once and passed alone\n' : '\n== failed in the first run\n')
    for (const { name, assertionResults } of failed) {
      const tests = assertionResults.filter(({ status }) => status === 'failed')
      for (const { fullName } of tests) process.stdout.write(`${relative(root, name)} > ${fullName}\n`)
      if (tests.length === 0) process.stdout.write(`${relative(root, name)} > the whole file\n`)
    }
    return second
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
