import { describe } from 'vitest'
import { databasesToTest } from '../support/databases.ts'
import { duringTests } from '../support/duringTests.ts'
import { type DemoApi, startDemoApi } from './demoApi.ts'

const databases = await databasesToTest()

type Tests = (api: DemoApi, database: string) => void

/** Describes tests of the API over the demo school, on every database of the run. The title contains `$name`. */
export const describeDemo = (title: string, tests: Tests): void => describeOn(databases, title, tests)

/** Describes them on the first or the last database of the run only. */
export const describeDemoOn = (chosen: 'first' | 'last', title: string, tests: Tests): void =>
  describeOn(chosen === 'first' ? databases.slice(0, 1) : databases.slice(-1), title, tests)

function describeOn(chosen: typeof databases, title: string, tests: Tests): void {
  describe.each(chosen)(title, ({ name, open }) =>
    tests(
      duringTests(async () => startDemoApi(await open())),
      name,
    ),
  )
}
