import { expect, test } from 'vitest'
import { isOutage } from '../../src/base/process/outage.ts'

const databaseError = (code: string, message: string): Error => Object.assign(new Error(message), { code })

test('a session that PostgreSQL cannot set up on a full disk is an outage, other internal errors are not', () => {
  const unstarted = databaseError('XX000', 'could not write init file')
  expect(isOutage(unstarted)).toBe(true)
  expect(isOutage(new Error('no connection', { cause: unstarted }))).toBe(true)
  expect(isOutage(new AggregateError([unstarted]))).toBe(true)
  expect(isOutage(databaseError('XX000', 'cache lookup failed for type 1'))).toBe(false)
  expect(isOutage(new Error('could not write init file'))).toBe(false)
})
