import { expect, test } from 'vitest'
import { lazily } from '../../src/base/process/lazily.ts'

test('concurrent callers share one creation, and a failed one is repeated by the next call', async () => {
  let attempts = 0
  const value = lazily(async () => {
    attempts += 1
    if (attempts === 1) throw new Error('not yet')
    return {}
  })
  await expect(Promise.all([value(), value()])).rejects.toThrow('not yet')
  expect(attempts).toBe(1)
  const [one, other] = await Promise.all([value(), value()])
  expect(one).toBe(other)
  expect(await value()).toBe(one)
  expect(attempts).toBe(2)
})
