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
  path: 'src/domain/planted.ts',
  text: 'export const planted = `SELECT expires_at FROM enrollment WHERE school_id = $1`\n',
}

test('a renamed column is a type error in every file of src that names it together with its table', () => {
  const directory = mkdtempSync(join(tmpdir(), 'schoolgate-renamed-'))
  try {
    copySource(directory)
    const names = new Map(globSync('src/**/*.ts', { cwd: directory }).map((path) => [path, namesIn(join(directory, path))]))
    const naming = [...names].flatMap(([path, { literals, members }]) =>
      columns.flatMap(([table, column]) =>
        !path.startsWith('src/gen/') && literals.has(table) && (literals.has(column) || members.has(column)) ? [path] : [],
      ),
    )
    expect(new Set(naming).size).toBeGreaterThan(columns.length)
    const failing = filesWithErrors(directory)
    expect([...new Set(naming)].filter((path) => !failing.has(path))).toEqual([planted.path])
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
})

/** Copies src with renamed columns. The client of Prisma has its own types; a stub keeps the check fast. */
function copySource(directory: string): void {
  cpSync(join(root, 'src'), join(directory, 'src'), { recursive: true, filter: (path) => !/\/gen\/(?:prisma|embedded)$/.test(path) })
  const files = {
    'src/gen/prisma/client.ts': 'export type PrismaClient = any\nexport const PrismaClient: any = undefined\n',
    [planted.path]: planted.text,
    [tables]: columns.reduce(renamed, readFileSync(join(root, tables), 'utf8')),
    'tsconfig.json': JSON.stringify({ ...tsconfig(), include: ['src'] }),
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

/** Returns the words in the literals of a file, and the members that its code reads or writes. */
function namesIn(path: string): { literals: Set<string>; members: Set<string> } {
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, true)
  const [literals, members] = [new Set<string>(), new Set<string>()]
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node)) {
      for (const [word] of node.text.matchAll(/\w+/g)) literals.add(word)
    } else if (ts.isPropertyAccessExpression(node)) members.add(node.name.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  return { literals, members }
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
