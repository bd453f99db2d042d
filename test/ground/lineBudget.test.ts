import { expect, test } from 'vitest'
import budget from '../../scripts/lineBudget.json' with { type: 'json' }
import { checkPlanted } from './planted.ts'

const check = (more: number): { code: number | null; output: string } =>
  checkPlanted(
    {
      'src/lib/a.ts': `// More than 250 lines: it is all of src.\n${'\n'.repeat(budget.src + more - 1)}`,
      'src/gen/tables.ts': 'export {}\n',
      'test/api/a.test.ts': '\n'.repeat(budget['test, verification, bench, scripts'] - 1),
      'scripts/a.mjs': '\n'.repeat(1 + more),
      'test/queries/a.sql': '\n'.repeat(budget['test/queries'] + more),
    },
    ['scripts/sourceLimits.ts'],
  )

test('more lines than the budget allows are refused, for each part', () => {
  expect(check(0)).toMatchObject({ code: 0, output: expect.not.stringContaining('--lower') })
  expect(check(-1)).toMatchObject({ code: 0, output: expect.stringMatching(/^note: src has .* --lower/m) })
  const { code, output } = check(2)
  expect(output.trim().split('\n')).toEqual([
    expect.stringMatching(/^src: \d+ lines are 2 more than scripts\/lineBudget\.json allows/),
    expect.stringMatching(/^test, verification, bench, scripts: \d+ lines are 2 more/),
    expect.stringMatching(/^test\/queries: \d+ lines are 2 more/),
    expect.stringContaining('says why in its body'),
  ])
  expect(code).toBe(1)
})
