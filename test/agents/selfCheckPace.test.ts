import { expect, test } from 'vitest'
import { createSelfCheck } from '../../src/agents/selfCheck.ts'
import type { School } from '../../src/base/school.ts'
import { until } from '../support/poll.ts'

const schoolsOf = (count: number): School[] =>
  Array.from({ length: count }, (_, index) => ({ id: `id-${index}`, slug: `school-${index}`, issuer: `http://127.0.0.1:${2000 + index}` }))

/** The self-check of schools whose documents cannot be requested. A pause lasts until `next`, or until the check is stopped. */
function checkOf(count: number) {
  const waiting: (() => void)[] = []
  let checked = 0
  const selfCheck = createSelfCheck({
    ask: () => Promise.reject(new Error('no response')),
    schools: () => schoolsOf(count),
    expected: ({ issuer }) => ({ issuer, scopes: [], baselineScopes: [], metadataPaths: ['/metadata'], isRegistrationOpen: true }),
    report: () => {
      checked += 1
    },
    pause: (_milliseconds, signal) =>
      new Promise((resume) => {
        waiting.push(resume)
        signal.addEventListener('abort', () => resume())
      }),
  })
  return { selfCheck, checked: () => checked, waiting }
}

test('few schools are checked one after the other without a pause', async () => {
  const { selfCheck, checked, waiting } = checkOf(10)
  selfCheck.start()
  await until(() => checked() >= 10, { what: 'all schools to be checked' })
  await selfCheck.stop()
  expect(waiting).toEqual([])
})

test('the check of one of many schools waits for the pause after the previous one, and a stop does not', async () => {
  const { selfCheck, checked, waiting } = checkOf(1000)
  selfCheck.start()
  for (const count of [1, 2, 3]) {
    await until(() => waiting.length === count, { what: `pause ${count}` })
    expect(checked()).toBe(count)
    if (count < 3) waiting.at(-1)?.()
  }
  await selfCheck.stop()
  expect(checked()).toBe(3)
})
