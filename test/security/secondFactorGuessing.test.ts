import { beforeAll, expect, test } from 'vitest'
import { newId } from '../../src/base/ids.ts'
import { createAttemptLimits } from '../../src/database/redis/attemptLimits.ts'
import { createSignInLimits } from '../../src/operate/compose/signInLimits.ts'

const policy = (name: string, requests: number, windowSeconds: number) => ({ name, requests, windowSeconds })
let limits: ReturnType<typeof createSignInLimits>
beforeAll(() => {
  const generous = policy('generous', 1000, 900)
  limits = createSignInLimits({
    attempts: createAttemptLimits({ prefix: 'test' }),
    policies: {
      ...{ perAddress: generous, perAccountAndNetwork: generous, perAccount: generous, perBrowser: generous },
      ...{ perAccountOfBrowsers: generous, usesPerAccountAndNetwork: generous, usesPerNetwork: generous },
      ...{ perFactor: policy('factor', 5, 900), perFactorAndDay: policy('factor_day', 30, 86_400) },
    },
    gate: (_caller, work) => work(),
    isLimited: true,
    onRefused: () => undefined,
  })
})

test('wrong codes are limited for each account, also when they arrive at the same time', async () => {
  const attempted = { schoolId: newId(), accountId: newId() }
  const attempts = await Promise.all(Array.from({ length: 5 }, () => limits.beginCode(attempted)))
  expect(attempts.every(({ isAllowed }) => isAllowed)).toBe(true)
  for (const attempt of attempts) if (attempt.isAllowed) await attempt.failed()
  expect(await limits.beginCode(attempted)).toMatchObject({ isAllowed: false })
  expect(await limits.beginCode({ ...attempted, accountId: newId() })).toMatchObject({ isAllowed: true })
})
