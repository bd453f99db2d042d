import { describe, expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const lint = (path: string, text: string): { code: number | null; output: string } =>
  checkPlanted({ [path]: text }, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '--colors=off'])

const save = 'async function save(): Promise<number> {\n  return 1\n}\n\n'

test('a file in house style passes', () => {
  expect(lint('src/framework/tidy.ts', `${save}export async function tidy(): Promise<void> {\n  await save()\n}\n`)).toMatchObject({
    code: 0,
  })
})

describe('the linter reports', () => {
  test.each([
    ['a promise that is not awaited', 'noFloatingPromises', 'src/framework/a.ts', `${save}export function run(): void {\n  save()\n}\n`],
    [
      'a promise given where nothing is awaited',
      'noMisusedPromises',
      'src/framework/a.ts',
      `${save}export function run(names: string[]): void {\n  names.forEach(async () => {\n    await save()\n  })\n}\n`,
    ],
    ['process outside of the composition', 'noRestrictedGlobals', 'src/framework/a.ts', 'export const home = process.env.HOME\n'],
    ['any', 'noExplicitAny', 'src/framework/a.ts', 'export const open = (value: any): string => value\n'],
    ['a test that is left out', 'noSkippedTests', 'test/a.test.ts', "import { test } from 'vitest'\n\ntest.skip('nothing', () => {})\n"],
    [
      'a test that hides the others',
      'noFocusedTests',
      'test/a.test.ts',
      "import { test } from 'vitest'\n\ntest.only('nothing', () => {})\n",
    ],
    ['a default export', 'noDefaultExport', 'src/framework/a.ts', 'export default 1\n'],
    ['layout', 'format', 'src/framework/a.ts', 'export const text = "double";\n'],
    [
      'the order of imports',
      'organizeImports',
      'src/framework/a.ts',
      "import { b } from './b.ts'\nimport { a } from './a.ts'\n\nexport const both = a + b\n",
    ],
  ])('%s', (_what, rule, path, text) => {
    const { code, output } = lint(path, text)
    expect(output).toContain(rule)
    expect(code).toBe(1)
  })

  test('the entry point and the commands may use process', () => {
    const text = 'export const home = process.env.HOME\n'
    expect(lint('src/main.mjs', text)).toMatchObject({ code: 0 })
    expect(lint('src/operate/cli/home.ts', text)).toMatchObject({ code: 0 })
  })
})
