import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { linkPackages } from '../../scripts/testClients.ts'
import type { Mutant } from './mutants.ts'

const root = resolve(import.meta.dirname, '../..')

/** A copy of the tree: mutants live in it, so the working tree stays as it is. */
export interface Workspace {
  /** Runs the test files on a mutant, until one fails. */
  runMutant(mutant: Mutant, tests: readonly string[]): Promise<TestRun>
  /** Returns the test files that fail without a mutant. */
  findFailing(tests: readonly string[]): Promise<readonly string[]>
  remove(): void
}

export interface TestRun {
  passed: boolean
  /** The test files that failed, each with the name of its first test that failed. Empty if the run ended without a report. */
  failures: readonly { test: string; name: string }[]
}

/** Copies the tracked files and the generated code. */
export function createWorkspace(): Workspace {
  const copy = mkdtempSync(join(tmpdir(), 'schoolgate-mutants-'))
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
  for (const name of listed.split('\n').filter((path) => path !== '' && existsSync(join(root, path)))) {
    cpSync(join(root, name), join(copy, name), { force: true })
  }
  cpSync(join(root, 'src/gen'), join(copy, 'src/gen'), { recursive: true })
  linkPackages(copy)

  return {
    async findFailing(tests) {
      const { passed, failures } = await runIn(copy, tests, limitMilliseconds * tests.length)
      return passed ? [] : failures.length > 0 ? failures.map(({ test }) => test) : tests
    },
    async runMutant(mutant, tests) {
      const path = join(copy, mutant.file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end))
      try {
        return await runIn(copy, tests, limitMilliseconds, '--bail=1')
      } finally {
        writeFileSync(path, text)
      }
    },
    remove: () => rmSync(copy, { recursive: true, force: true }),
  }
}

/** A mutant can cause an endless wait. Vitest gets time to drop its databases. */
const [limitMilliseconds, stopMilliseconds] = [240_000, 30_000]

async function runIn(copy: string, tests: readonly string[], milliseconds: number, ...more: string[]): Promise<TestRun> {
  const report = join(copy, 'report.json')
  rmSync(report, { force: true })
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const options = ['--config', 'verification/mutation/vitest.config.ts', '--reporter=json', `--outputFile.json=${report}`, ...more]
  const child = spawn(process.execPath, [vitest, 'run', ...options, ...tests], {
    cwd: copy,
    stdio: 'ignore',
    detached: true,
    // The copy has its own compile cache, which disappears with it.
    env: { ...process.env, MUTATE_TESTS: tests.join(' '), NODE_COMPILE_CACHE: join(copy, '.compile') },
  })
  const stop = setTimeout(() => child.kill('SIGTERM'), milliseconds)
  const kill = setTimeout(() => killGroup(child.pid), milliseconds + stopMilliseconds)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(stop)
  clearTimeout(kill)
  killGroup(child.pid)
  return code === 0 ? { passed: true, failures: [] } : { passed: false, failures: readFailures(report, copy) }
}

interface Report {
  testResults: { name: string; status: string; assertionResults: { fullName: string; status: string }[] }[]
}

function readFailures(report: string, copy: string): TestRun['failures'] {
  if (!existsSync(report)) return []
  const { testResults }: Report = JSON.parse(readFileSync(report, 'utf8'))
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const failed = assertionResults.find((result) => result.status === 'failed')
    return status === 'failed' ? [{ test: relative(copy, name), name: failed?.fullName ?? 'the whole file' }] : []
  })
}

/** Ends the workers of Vitest, if any are left. */
function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // All of them have ended.
  }
}
