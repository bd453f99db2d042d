import { afterAll, beforeAll } from 'vitest'

/**
 * Starts something before the tests of the file, or of the `describe` around the call, and stops it after them. Tests and later hooks
 * can use the returned object; code that runs when the tests are collected cannot.
 */
export function duringTests<Started extends object>(start: () => Promise<Started>): Started {
  const started = {} as Started & { stop?(): unknown; drop?(): unknown; close?(): unknown }
  beforeAll(async () => void Object.assign(started, await start()))
  afterAll(() => (started.stop ?? started.drop ?? started.close)?.())
  return started
}
