import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

test('a scope that is typed by hand is reported, in every kind of quotes; the configuration may name scopes', () => {
  const planted = (line: string): string => `/** courses:read opens it. */\n${line}\n// not students:read\n`
  const { code, output } = checkPlanted(
    {
      'src/config/a.ts': planted("const scope = 'subscriptions:write'"),
      'src/pages/a.ts': planted("const scope = 'subscriptions:write'"),
      'src/pages/b.ts': planted('const description = `Needs courses:read.`'),
      'src/pages/c.ts': planted('has("account:read")'),
    },
    ['scripts/sourceLimits.ts'],
  )
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^src\/pages\/a\.ts:2 spells the scope subscriptions:write: derive it/),
    expect.stringMatching(/^src\/pages\/b\.ts:2 spells the scope courses:read: derive it/),
    expect.stringMatching(/^src\/pages\/c\.ts:2 spells the scope account:read: derive it/),
  ])
  expect(code).toBe(1)
})
