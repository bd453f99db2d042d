import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (casts: number): { code: number | null; output: string } => {
  const text = Array.from({ length: casts }, (_, index) => `export const a${index} = value as string\n`).join('')
  return checkPlanted({ 'src/lib/a.ts': `const words = ['a'] as const\n${text}` }, ['scripts/sourceLimits.ts'])
}

test('type assertions in src do not become more; `as const` is not one', () => {
  const [, most = ''] = /0 of (\d+) type assertions/.exec(check(0).output) ?? []
  expect(Number(most)).toBeGreaterThan(0)
  expect(check(Number(most)).code).toBe(0)
  expect(check(Number(most) + 1)).toMatchObject({ code: 1, output: expect.stringContaining('check or narrow the value instead') })
})
