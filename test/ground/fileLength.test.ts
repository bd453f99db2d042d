import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const most = 250

test(`a file in src with more than ${most} lines is reported, unless its first lines give the reason`, () => {
  const lines = (head: string, count: number): string => head + 'export {}\n'.repeat(count)
  const reason = '// More than 250 lines: the table lists every error code.\n'
  const { code, output } = checkPlanted(
    {
      'src/store/fits.ts': lines('', most),
      'src/store/long.ts': lines('', most + 1),
      'src/store/commented.ts': lines('/** Reads a row. */\n', most),
      'src/store/table.ts': lines(reason, most),
      'src/store/late.ts': `${lines('', 5)}${lines(reason, most)}`,
      'src/gen/tables.ts': lines('', most + 1),
    },
    ['scripts/sourceLimits.ts'],
  )
  const reported = output.trim().split('\n')
  expect(reported.map((line) => line.split(' ')[0])).toEqual(['src/store/commented.ts', 'src/store/late.ts', 'src/store/long.ts'])
  for (const line of reported) expect(line).toContain('divide it, or give the reason')
  expect(code).toBe(1)
})
