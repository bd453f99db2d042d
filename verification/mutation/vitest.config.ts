import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import base from '../../vitest.config.ts'

/** Runs the files in the order of MUTATE_TESTS, so that the first failure comes early. */
class AsGiven extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const order = (process.env.MUTATE_TESTS ?? '').split(' ')
    const rank = ({ moduleId }: TestSpecification): number => order.findIndex((path) => moduleId.endsWith(`/${path}`))
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

const { projects: _, ...common } = base.test ?? {}

/** The configuration of `npm run mutate`: one worker, and modules that Node loads itself, so that a start costs a third less. */
export default defineConfig({
  test: {
    ...common,
    include: ['{test,verification}/**/*.test.ts'],
    maxWorkers: 1,
    sequence: { sequencer: AsGiven },
    setupFiles: process.env.MUTATE_RECORDS ? ['verification/mutation/recordCalls.ts'] : [],
    experimental: { viteModuleRunner: false, nodeLoader: false },
  },
})
