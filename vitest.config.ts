import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/prepare.ts'],
    pool: 'forks',
    maxWorkers: 2,
    isolate: false,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    teardownTimeout: 20_000,
    // What is polled for may take long on a loaded machine: the default of one second is a limit on speed.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // A test that was left alone by mistake would hide all others.
    allowOnly: false,
    passWithNoTests: false,
  },
})
