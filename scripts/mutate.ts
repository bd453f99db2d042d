/**
 * Changes the source in small ways, one at a time, and runs the tests that are nearest to the changed file. A change that no test
 * detects shows a missing test. docs/testing.md describes how to read the result.
 *
 *   npm run mutate -- --module oidc --limit 20 --seed 7
 *
 *   --module   one of the modules below, or a path in src; all of them by default
 *   --limit    mutants per module (10)
 *   --seed     which mutants are drawn (1): the same seed draws the same mutants of the same source
 *   --tests    test files per mutant, the nearest first (4)
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { slowest } from '../test/support/slowestFirst.ts'
import { readTestGraph } from './relatedTests.ts'

const root = resolve(import.meta.dirname, '..')

/** The critical modules: identity, permissions, data, money and seats. */
const critical: Readonly<Record<string, readonly string[]>> = {
  oidc: ['src/oidc'],
  policy: ['src/policy'],
  store: ['src/store'],
  framework: ['src/framework'],
  money: ['src/domain/orders', 'src/domain/coupons', 'src/domain/memberships', 'src/domain/events'],
}

/** Tests that run for every mutant of a module, because they cover most of it. */
const broad: Readonly<Record<string, readonly string[]>> = {
  oidc: ['test/oidc/token.test.ts', 'test/oidc/authorization.test.ts'],
  framework: ['test/api/writes.test.ts', 'test/api/lists.test.ts'],
  money: ['test/api/orders.test.ts', 'test/api/membershipPlans.test.ts'],
}

const { values } = parseArgs({
  options: {
    module: { type: 'string' },
    limit: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string', default: '4' },
  },
})
const [limit, mostTests] = [Number(values.limit), Number(values.tests)]
const named = values.module
const chosen: Readonly<Record<string, readonly string[]>> =
  named === undefined ? critical : { [named]: critical[named] ?? [named.startsWith('src') ? named : `src/${named}`] }

interface Mutant {
  file: string
  line: number
  start: number
  end: number
  replacement: string
  what: string
}

// The working tree stays as it is: mutants live in a copy.
const copy = mkdtempSync(join(tmpdir(), 'schoolgate-mutants-'))
process.once('exit', () => rmSync(copy, { recursive: true, force: true }))
for (const name of execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean)) {
  cpSync(join(root, name), join(copy, name), { force: true })
}
cpSync(join(root, 'src/gen'), join(copy, 'src/gen'), { recursive: true })
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'))

const graph = readTestGraph()
const random = seededRandom(Number(values.seed))
const baseline = new Map<string, boolean>()
const score = { killed: 0, survived: 0, untested: 0, unclear: 0 }

function judge({ file, start, end, replacement }: Mutant, always: readonly string[]): keyof typeof score {
  const related = graph.relatedTo(file).filter((path) => !slowest.some((name) => path === `test/${name}.test.ts`))
  const tests = [...new Set([...related.slice(0, mostTests), ...always])]
  if (tests.length === 0) return 'untested'
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, text.slice(0, start) + replacement + text.slice(end))
  const passed = passes(tests)
  writeFileSync(path, text)
  if (passed) return 'survived'
  // Tests that also fail without the mutant do not detect it.
  const key = tests.join(' ')
  if (!baseline.has(key)) baseline.set(key, passes(tests))
  return baseline.get(key) ? 'killed' : 'unclear'
}

function passes(tests: string[]): boolean {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { status } = spawnSync(process.execPath, [vitest, 'run', ...tests, '--bail=1', '--maxWorkers=1', '--reporter=dot'], {
    cwd: copy,
    stdio: 'ignore',
    // A mutant can cause an endless wait.
    timeout: 300_000,
  })
  return status === 0
}

function filesIn(path: string): string[] {
  if (statSync(join(root, path)).isFile()) return [path]
  return readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).flatMap((name) =>
    name.endsWith('.ts') ? [join(path, name)] : [],
  )
}

function mutantsOf(file: string): Mutant[] {
  const text = readFileSync(join(root, file), 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const add = (node: ts.Node, replacement: string, what: string): void => {
    const start = node.getStart()
    mutants.push({ file, line: source.getLineAndCharacterOfPosition(start).line + 1, start, end: node.end, replacement, what })
  }
  const visit = (node: ts.Node): void => {
    for (const [part, replacement, what] of changesOf(node)) add(part, replacement, what)
    // Code without an effect at run time is not changed.
    if (!ts.isTypeNode(node) && !ts.isInterfaceDeclaration(node) && !ts.isImportDeclaration(node)) ts.forEachChild(node, visit)
  }
  visit(source)
  return mutants
}

type Change = [node: ts.Node, replacement: string, what: string]

const { SyntaxKind } = ts
const operators = new Map<ts.SyntaxKind, string>([
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
])

function changesOf(node: ts.Node): Change[] {
  if (ts.isBinaryExpression(node)) return changedOperator(node)
  if (ts.isIfStatement(node)) return [negated(node.expression)]
  if (ts.isConditionalExpression(node)) return [negated(node.condition)]
  if (ts.isExpressionStatement(node) && isCall(node.expression)) return [[node, ';', `removed: ${shortened(node)}`]]
  if (node.kind === SyntaxKind.TrueKeyword) return [[node, 'false', 'true became false']]
  if (node.kind === SyntaxKind.FalseKeyword) return [[node, 'true', 'false became true']]
  return ts.isCallExpression(node) ? withoutCondition(node) : []
}

function changedOperator({ operatorToken, left, right }: ts.BinaryExpression): Change[] {
  const other = operators.get(operatorToken.kind)
  const isText = [left, right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
  if (other === undefined || (isText && operatorToken.kind === SyntaxKind.PlusToken)) return []
  return [[operatorToken, other, `${operatorToken.getText()} became ${other}`]]
}

const negated = (condition: ts.Expression): Change => [condition, `!(${condition.getText()})`, `negated: ${shortened(condition)}`]

const isCall = (expression: ts.Expression): boolean =>
  ts.isCallExpression(expression) || (ts.isAwaitExpression(expression) && ts.isCallExpression(expression.expression))

/** Returns mutants of a query without one of its conditions. */
function withoutCondition(call: ts.CallExpression): Change[] {
  const { expression: access } = call
  if (!ts.isPropertyAccessExpression(access) || !/^(?:where|whereRef|andWhere)$/.test(access.name.text)) return []
  return [[call, access.expression.getText(), `removed: .${access.name.text}(${call.arguments.map(shortened).join(', ')})`]]
}

const shortened = (node: ts.Node): string => node.getText().replaceAll(/\s+/g, ' ').slice(0, 70)

/** Returns a uniform sample of the items in the order of the source. */
function draw<Item>(items: Item[], count: number): Item[] {
  const keyed = items.map((item, at) => ({ item, at, key: random() })).toSorted((a, b) => a.key - b.key)
  return keyed
    .slice(0, count)
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

/** Creates a seeded random generator (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

for (const [name, folders] of Object.entries(chosen)) {
  const mutants = draw(folders.flatMap(filesIn).flatMap(mutantsOf), limit)
  process.stdout.write(`\n${name}: ${mutants.length} mutants\n`)
  for (const [at, mutant] of mutants.entries()) {
    const outcome = judge(mutant, broad[name] ?? [])
    score[outcome] += 1
    process.stdout.write(`${at + 1}/${mutants.length}  ${outcome.padEnd(8)}  ${mutant.file}:${mutant.line}  ${mutant.what}\n`)
  }
}
const total = score.killed + score.survived
const percent = Math.round((100 * score.killed) / total)
process.stdout.write(`\nkilled ${score.killed} of ${total} (${percent} %), untested ${score.untested}, unclear ${score.unclear}\n`)
