import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { slowest } from '../support/slowestFirst.ts'

const root = resolve(import.meta.dirname, '../..')

test.each(slowest)('the long test %s exists', (name) => {
  expect(existsSync(join(root, `${name}.test.ts`))).toBe(true)
})

test('CI runs the long tests', () => {
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^REQUIRE_SERVICES=1 npm test -- .*--long/m)
})
