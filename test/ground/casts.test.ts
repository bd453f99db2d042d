import { globSync, readFileSync } from 'node:fs'
import ts from 'typescript'
import { expect, test } from 'vitest'

/** The number of type assertions in src. Lower it whenever it falls; a new one needs a comment with its reason. */
const most = 244

test('type assertions in src do not become more', () => {
  const files = globSync('src/**/*.ts').filter((file) => !file.startsWith('src/gen/'))
  expect(files.length).toBeGreaterThan(0)
  const count = files.reduce((sum, file) => sum + castsIn(file), 0)
  expect(count).toBeLessThanOrEqual(most)
})

/** Counts `value as Type` in a file. `as const` is not a type assertion. */
function castsIn(file: string): number {
  let count = 0
  const visit = (node: ts.Node): void => {
    if (ts.isAsExpression(node) && node.type.getText() !== 'const') count += 1
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return count
}
