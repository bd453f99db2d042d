import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { slowest } from '../../test/support/slowestFirst.ts'
import { hashOf, readRecords, recordsDirectory } from './callMap.ts'

const root = resolve(import.meta.dirname, '../..')

/** Folders whose tests call the service in their own process. Those that start programs or a browser record nothing. */
const folders = 'identity database engine school security clients operate pages config base conformance agents'

/** Larger changes need new records: offsets of changed files are unknown. */
const maxChanged = 0.2

/** Records the calls of the test files that have no current record, or of all of them. Takes about half an hour if none has one. */
export function recordTests({ all }: { all: boolean }): void {
  mkdirSync(recordsDirectory, { recursive: true })
  const records = readRecords()
  const sources = new Map(records.flatMap(({ hashes }) => Object.entries(hashes)))
  const changed = [...sources].filter(([file, hash]) => hashOf(file) !== hash)
  const again = all || changed.length > maxChanged * sources.size
  const current = new Set(again ? [] : records.flatMap(({ test, hash }) => (hashOf(test) === hash ? [test] : [])))
  for (const folder of folders.split(' ')) {
    const tests = globSync(`test/${folder}/**/*.test.ts`, { cwd: root }).filter((test) => !current.has(test) && !isSlow(test))
    if (tests.length === 0) continue
    process.stdout.write(`recording ${tests.length} files of test/${folder}\n`)
    const vitest = join(root, 'node_modules/vitest/vitest.mjs')
    // A test that fails is recorded as such and not chosen.
    spawnSync(process.execPath, [vitest, 'run', '--config', 'verification/mutation/vitest.config.ts', '--reporter=dot', ...tests], {
      cwd: root,
      stdio: 'ignore',
      env: { ...process.env, MUTATE_RECORDS: recordsDirectory },
    })
  }
}

/** Tests that take more than a quarter of a minute would cost more than they decide. */
const isSlow = (test: string): boolean => slowest.slice(0, 30).some((name) => test === `${name}.test.ts`)
