import { describe } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const databases = await databasesToTest()

/**
 * Describes tests of the API over the demo school, on every database of the run, or with `only` on the first or the last of them. The
 * title contains `$name`.
 */
export function describeDemo(title: string, tests: (api: DemoApi, database: string) => void, only?: 'first' | 'last'): void {
  const chosen = { first: databases.slice(0, 1), last: databases.slice(-1), all: databases }[only ?? 'all']
  describe.each(chosen)(title, ({ name, open }) =>
    tests(
      duringTests(async () => startDemoApi(await open())),
      name,
    ),
  )
}
