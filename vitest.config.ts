import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SlowestFirst, slowest } from './test/support/slowestFirst.ts'

// Workers and the processes that tests start keep compiled code here: a start takes a third less.
process.env.NODE_COMPILE_CACHE ??= resolve('node_modules/.cache/compile')

/** Folders of pure modules: their tests need neither a database nor a service nor a browser. */
const pure = 'base|config'
/** And the files, not folders, of this one. */
const pureFiles = 'test/engine/*.test.ts'
/** The exceptions in these folders. */
const needDatabase = ['test/engine/keyset.test.ts', 'test/engine/timeLimit.test.ts']
/** `npm test` leaves these files out; CI runs them. */
const long = slowest.map((name) => `${name}.test.ts`)

export default defineConfig({
  test: {
    globalSetup: ['test/support/prepare.ts'],
    pool: 'forks',
    // One more than cores, because tests also wait for servers. Eight workers need fewer than the 100 connections that PostgreSQL accepts.
    maxWorkers: Math.min(8, Math.max(3, availableParallelism() + 1)),
    isolate: false,
    sequence: { sequencer: SlowestFirst },
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 20_000,
    // Polling may take long on a loaded machine: the default of one second would be a limit on speed.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // A forgotten .only would hide all other tests.
    allowOnly: false,
    passWithNoTests: false,
    projects: [
      { extends: true, test: { name: 'unit', include: [`test/(${pure})/**/*.test.ts`, pureFiles], exclude: [...needDatabase, ...long] } },
      {
        extends: true,
        test: {
          name: 'service',
          include: [
            `test/!(browser|engine|${pure})/**/*.test.ts`,
            'test/engine/*/**/*.test.ts',
            'verification/**/*.test.ts',
            ...needDatabase,
          ],
          exclude: ['**/node_modules/**', ...long],
        },
      },
      { extends: true, test: { name: 'browser', include: ['test/browser/**/*.test.ts'], exclude: long } },
      { extends: true, test: { name: 'long', include: long } },
    ],
  },
})
