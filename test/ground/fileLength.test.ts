import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'

const most = 250

test(`no file in src has more than ${most} lines without a reason at its head`, () => {
  expect(longFiles(resolve(import.meta.dirname, '../..'))).toEqual([])
})

test('a file that is too long is found, unless a comment gives the reason', () => {
  const root = mkdtempSync(join(tmpdir(), 'schoolgate-lines-'))
  try {
    const plant = (path: string, head: string, lines: number): void => {
      mkdirSync(join(root, path, '..'), { recursive: true })
      writeFileSync(join(root, path), head + 'export {}\n'.repeat(lines))
    }
    plant('src/store/fits.ts', '', most)
    plant('src/store/long.ts', '', most + 1)
    plant('src/store/commented.ts', '/** Reads a row. */\n', most)
    plant('src/store/table.ts', '// More than 250 lines: the table lists every error code.\n', most)
    plant('src/store/late.ts', `${'export {}\n'.repeat(5)}// More than 250 lines: the table lists every error code.\n`, most)
    plant('src/gen/tables.ts', '', most + 1)
    expect(longFiles(root)).toEqual(['src/store/commented.ts', 'src/store/late.ts', 'src/store/long.ts'])
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

/** Lists the files that are too long and whose first five lines have no comment such as `// More than 250 lines: <reason>`. */
function longFiles(root: string): string[] {
  const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.startsWith('src/gen/'))
  expect(files.length).toBeGreaterThan(0)
  return files.filter((file) => isTooLong(readFileSync(join(root, file), 'utf8'))).toSorted()
}

function isTooLong(text: string): boolean {
  const lines = text.trimEnd().split('\n')
  return lines.length > most && !lines.slice(0, 5).some((line) => /^(\/\/|\/\*\*| \*) ?More than 250 lines: ./.test(line))
}
