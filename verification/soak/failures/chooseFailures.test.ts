import { describe, expect, test } from 'vitest'
import { allFailures } from './allFailures.ts'
import { chooseFailures } from './chooseFailures.ts'

const namesOf = (...values: string[]): string[] => chooseFailures(values).failures.map(({ name }) => name)

describe('--only of npm run soak', () => {
  test.each([
    ['one name', ['kill -9'], ['kill -9']],
    ['a part of several names', ['sighup'], ['SIGHUP, valid', 'SIGHUP, invalid']],
    ['a name with a comma', ['SIGHUP, invalid'], ['SIGHUP, invalid']],
    ['a name with a comma and no space', ['sighup,valid'], ['SIGHUP, valid']],
    ['a list', ['kill -9,Redis slow'], ['kill -9', 'Redis slow']],
    ['a list with a name that has a comma', ['Redis slow, SIGHUP, invalid ,kill -9'], ['kill -9', 'SIGHUP, invalid', 'Redis slow']],
    ['several values', ['kill -9', 'Redis slow', 'kill'], ['kill -9', 'Redis slow']],
  ])('%s', (_what, values, expected) => {
    expect([namesOf(...values), chooseFailures(values).unknown]).toEqual([expected, []])
  })

  test('without a value every failure is selected', () => {
    expect(chooseFailures([])).toEqual({ failures: allFailures, unknown: [] })
  })

  test('every text that is in no name is unknown, also an empty one', () => {
    expect(chooseFailures(['kill -9, no such', 'Redis, neither this']).unknown).toEqual(['no such', 'neither this'])
    expect(chooseFailures(['', 'kill -9,']).unknown).toEqual(['', ''])
  })
})
