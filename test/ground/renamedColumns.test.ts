import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const tables = 'src/gen/kysely/tables.ts'

/** Columns of every area, by table. */
const columns: readonly [table: string, column: string][] = [
  ['account', 'sessions_valid_after'],
  ['analytics_daily_course', 'enrolled'],
  ['coupon', 'redemptions_count'],
  ['course', 'published_at'],
  ['enrollment', 'expires_at'],
  ['event', 'starts_at'],
  ['file', 'storage_key'],
  ['orders', 'paid_at'],
  ['person', 'member_status'],
  ['subscription', 'past_due_since'],
]

/** An untyped statement: no compiler reads it. */
const planted = {
  path: 'src/school/planted.ts',
  text: 'export const planted = `SELECT expires_at FROM enrollment WHERE school_id = $1`\n',
}

test('a renamed column is a type error in every file of the features, the identity and the database that names it in a query of its table', () => {
  const directory = mkdtempSync(join(tmpdir(), 'schoolgate-renamed-'))
  try {
    copySource(directory)
    // The fields of the API have the names of columns and need not be columns.
    const naming = globSync('src/{school,identity,database}/**/*.ts', { cwd: directory, exclude: ['**/*Fields.ts'] }).filter((path) => {
      const text = readFileSync(join(directory, path), 'utf8')
      const named = columns.filter(([table, column]) => text.includes(table) && text.includes(column))
      if (named.length === 0) return false
      const statements = statementsIn(path, text)
      return named.some(([table, column]) => statements.some((words) => words.has(table) && words.has(column)))
    })
    expect(naming.length).toBeGreaterThan(columns.length)
    checkOnly(directory, naming)
    const failing = filesWithErrors(directory)
    expect(naming.filter((path) => !failing.has(path))).toEqual([planted.path])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Limits the check to these files: the others only provide types. */
function checkOnly(directory: string, paths: readonly string[]): void {
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify({ ...tsconfig(), include: paths }))
  for (const path of globSync('src/**/*.ts', { cwd: directory })) {
    if (paths.includes(path)) continue
    const file = join(directory, path)
    writeFileSync(file, `// @ts-nocheck\n${readFileSync(file, 'utf8')}`)
  }
}

/** Copies src with renamed columns. The client of Prisma has its own types; a stub keeps the check fast. */
function copySource(directory: string): void {
  cpSync(join(root, 'src'), join(directory, 'src'), { recursive: true, filter: (path) => !/\/gen\/(?:prisma|embedded)$/.test(path) })
  const files = {
    'src/gen/prisma/client.ts': 'export type PrismaClient = any\nexport const PrismaClient: any = undefined\n',
    [planted.path]: planted.text,
    [tables]: columns.reduce(renamed, readFileSync(join(root, tables), 'utf8')),
    'package.json': readFileSync(join(root, 'package.json'), 'utf8'),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'))
}

const tsconfig = (): object => ts.readConfigFile(join(root, 'tsconfig.json'), (path) => readFileSync(path, 'utf8')).config as object

function renamed(text: string, [table, column]: readonly [table: string, column: string]): string {
  const type = new RegExp(`(export type ${table} = \\{[^}]*?\\n    )${column}:`)
  if (!type.test(text)) throw new Error(`${table} has no column ${column}`)
  return text.replace(type, `$1${column}_renamed:`)
}

/** Returns the words in the literals of each statement of a file: a query names its table and its columns in one statement. */
function statementsIn(path: string, text: string): Set<string>[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const statements = new Map<ts.Node, Set<string>>()
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      const statement = statementOf(node)
      const words = statements.get(statement) ?? new Set<string>()
      for (const [word] of node.text.matchAll(/\w+/g)) words.add(word)
      statements.set(statement, words)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return [...statements.values()]
}

function statementOf(node: ts.Node): ts.Node {
  const { parent } = node
  return ts.isBlock(parent) || ts.isSourceFile(parent) ? node : statementOf(parent)
}

/** Returns the files in which the compiler finds an error. */
function filesWithErrors(directory: string): Set<string> {
  const { stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['--noEmit', '-p', directory], {
    cwd: directory,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return new Set([...stdout.matchAll(/^(src\/[^(]+)\(\d+,\d+\): error/gm)].map(([, path]) => path as string))
}
