import { describe, expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (files: Record<string, string>): { code: number | null; output: string } => checkPlanted(files, ['scripts/imports.ts'])

const store = {
  'src/database/connection/sql.ts': 'export const sql = 1\nexport interface Sql {\n  query: string\n}\n',
  'src/database/connection/open.ts': 'export const open = 1\n',
  'src/identity/app.ts': 'export const app = 1\nexport interface App {\n  query: string\n}\n',
}

describe('a tree that keeps to the import table', () => {
  const { code, output } = check({
    ...store,
    'src/school/rule.ts': "import { open } from '../database/connection/open.ts'\nexport const rule = open\n",
    'src/agents/pure.ts': "import type { App } from '../identity/app.ts'\nexport const query = ({ query: text }: App) => text\n",
    'src/pages/page.ts': "import type Provider from 'oidc-provider'\nexport const issuer = ({ issuer: text }: Provider) => text\n",
    'src/main.mjs': "import process from 'node:process'\nimport { rule } from './school/rule.ts'\nprocess.exitCode = rule\n",
    'src/school/courses/courses.ts': "import { lecturers } from '../lecturers/lecturers.ts'\nexport const courses = () => lecturers\n",
    'src/school/lecturers/lecturers.ts': "import { courses } from '../courses/courses.ts'\nexport const lecturers = () => courses\n",
    'src/school/a.ts': `const points = sql\`result(question_id text) AS points, coalesce(\${a}, 'expires_at')\`\n`,
  })

  test('passes', () => expect([code, output]).toEqual([0, expect.stringContaining('no forbidden import')]))

  test('resources may refer to each other', () => expect(output).not.toContain('src/school/courses/'))

  test('aliases, functions and literals in a template are not columns', () => expect(output).not.toContain('src/school/a.ts'))
})

test('a check that read no module fails', () => {
  const { code, output } = check({ 'src/readme.txt': '', 'test/a.ts': '' })
  expect(output).toMatch(/no module was read/)
  expect(code).toBe(1)
})

describe('a forbidden import is named with its rule', () => {
  const plants: [what: string, file: string, text: string, rule: string][] = [
    [
      'a lower module imports a higher one',
      'src/base/up.ts',
      "import { sql } from '../database/connection/sql.ts'\nexport const up = sql\n",
      'base imports',
    ],
    [
      'a value where types alone are open',
      'src/agents/value.ts',
      "import { app } from '../identity/app.ts'\nexport const value = app\n",
      'agents imports types',
    ],
    [
      'a value together with a type of the same file',
      'src/agents/both.ts',
      "import type { App } from '../identity/app.ts'\nimport { app } from '../identity/app.ts'\nexport const both: App = { query: String(app) }\n",
      'agents imports types',
    ],
    [
      'a module that is not in the table',
      'src/attic/box.ts',
      "import { sql } from '../database/connection/sql.ts'\nexport const box = sql\n",
      'known module',
    ],
    ['an import at run time', 'src/engine/late.ts', "export const late = () => import('../pages/page.ts')\n", 'engine imports'],
    ['a package of another module', 'src/agents/pool.ts', "import { Pool } from 'pg'\nexport const pool = Pool\n", 'pg owners'],
    [
      'a value of a package whose types alone are open',
      'src/pages/page.ts',
      "import Provider from 'oidc-provider'\nexport const page = Provider\n",
      'oidc-provider types',
    ],
    [
      "the engine's insides",
      'src/identity/deep.ts',
      "import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js'\nexport const deep = InvalidGrant\n",
      'public entry',
    ],
    [
      'a package that a production install lacks',
      'src/identity/tool.ts',
      "import { test } from 'vitest'\nexport const tool = test\n",
      'declared package',
    ],
    ['the process', 'src/base/pid.ts', "import { pid } from 'node:process'\nexport const number = pid\n", 'process'],
    ['a file that is not there', 'src/base/gone.ts', "import { gone } from './away.ts'\nexport const here = gone\n", 'resolvable'],
    [
      'the generated client',
      'src/engine/client.ts',
      "import { client } from '../gen/client.ts'\nexport const used = client\n",
      'engine imports types',
    ],
    [
      'raw SQL in a feature',
      'src/school/raw.ts',
      "import type { Sql } from '../database/connection/sql.ts'\nexport const query = ({ query: text }: Sql) => text\n",
      'Kysely only',
    ],
  ]

  const typeOf = (own: string, other: string, path: string): string =>
    `import type { ${other} } from './${path}'\nexport interface ${own} {\n  other: ${other}\n}\n`
  const cycles: [what: string, one: [file: string, text: string], other: [file: string, text: string], rule: string][] = [
    ['types', ['src/base/one.ts', typeOf('One', 'Two', 'two.ts')], ['src/base/two.ts', typeOf('Two', 'One', 'one.ts')], 'no cycle'],
    [
      'values',
      ['src/base/first.ts', "import { second } from './second.ts'\nexport const first = (): number => second()\n"],
      ['src/base/second.ts', "import { first } from './first.ts'\nexport const second = (): number => first()\n"],
      'no cycle',
    ],
    [
      'types between pages',
      ['src/pages/a.ts', typeOf('A', 'B', 'b.ts')],
      ['src/pages/b.ts', typeOf('B', 'A', 'a.ts')],
      'no cycle of pages',
    ],
    [
      'types between a resource and its parts',
      ['src/school/courses/courses.ts', typeOf('Course', 'Part', 'courseParts.ts')],
      ['src/school/courses/courseParts.ts', typeOf('Part', 'Course', 'courses.ts')],
      'no cycle of resources',
    ],
  ]

  // One run checks all of them, because they are independent.
  const { code, output } = check({
    ...store,
    'src/pages/page.ts': '',
    'src/gen/client.ts': 'export const client = 1\n',
    ...Object.fromEntries(plants.map(([, file, text]) => [file, text])),
    ...Object.fromEntries(cycles.flatMap(([, one, other]) => [one, other])),
  })
  const lines = output.split('\n')
  /** Returns the line after each one that starts with this file: its rule. */
  const rulesOf = (file: string): (string | undefined)[] =>
    lines.flatMap((line, at) => (line.startsWith(`${file} -> `) ? [lines[at + 1]] : []))

  test('with exit code 1', () => expect(code).toBe(1))

  test.each(plants)('%s', (_what, file, _text, rule) => {
    expect(rulesOf(file)).toContainEqual(expect.stringContaining(`  ${rule}: `))
  })

  test.each(cycles)('a cycle of %s', (_what, [one], [other], rule) => {
    expect([...rulesOf(one), ...rulesOf(other)]).toContainEqual(expect.stringContaining(`  ${rule}: `))
  })
})

describe('a statement or a column as text is named', () => {
  const columns: [what: string, file: string, text: string, column: string][] = [
    ['in a template', 'src/school/a.ts', 'const isOver = sql<boolean>`expires_at < now()`', 'expires_at'],
    ['of one word', 'src/pages/a.ts', "const isOver = sql`status = 'draft'`", 'status'],
    ['after a reference', 'src/engine/a.ts', `const isOver = sql\`\${now} < expires_at\``, 'expires_at'],
  ]
  const statements: [what: string, file: string, text: string][] = [
    ['a call', 'src/school/call.ts', "export const find = (sql: { query(text: string): unknown }) => sql.query('SELECT 1')"],
    ['a template', 'src/school/template.ts', `export const taken = (id: string) => \`UPDATE course SET version = 2 WHERE id = \${id}\``],
    [
      'a call of a command',
      'src/operate/cli/call.ts',
      "export const find = (sql: { query(text: string): unknown }) => sql.query('SELECT 1')",
    ],
    ['a string', 'src/school/string.ts', "export const all = 'SELECT id\\nFROM course'"],
  ]
  // One run checks all of them, because they are independent.
  const { code, output } = check({
    ...store,
    ...Object.fromEntries([...columns, ...statements].map(([, file, text]) => [file, `${text}\n`])),
  })

  test('with exit code 1', () => expect(code).toBe(1))

  test.each(columns)('a column that no compiler checks: %s', (_what, file, _text, column) => {
    expect(output).toContain(`${file}:1\n  Kysely only: ${column} is written as text`)
  })

  test.each(statements)('a statement as text in a feature: %s', (_what, file) => {
    expect(output).toContain(`${file}:1\n  Kysely only: `)
  })
})

describe('a handle of every school is named with the handle to take instead', () => {
  const plants: [what: string, file: string, text: string, fix: string][] = [
    [
      'a writer',
      'src/school/all.ts',
      "import type { SchoolReader, Writer } from '../database/connection/database.ts'\nexport type All = Writer\n",
      'SchoolWriter',
    ],
    [
      'a reader',
      'src/school/orders/all.ts',
      "import type { Reader } from '../../database/connection/database.ts'\nexport type All = Reader\n",
      'SchoolReader',
    ],
    [
      'a database',
      'src/pages/all.ts',
      "import type { Database } from '../database/connection/database.ts'\nexport type All = Database\n",
      'SchoolDatabase',
    ],
    [
      'a handle that loses its school',
      'src/engine/all.ts',
      'export const all = (reader: { withoutPlugins(): unknown }) => reader.withoutPlugins()\n',
      'src/database',
    ],
  ]
  // One run checks all of them, because they are independent.
  const { code, output } = check({
    ...store,
    'src/database/connection/database.ts':
      'export interface Reader {\n  all: 1\n}\nexport type Writer = Reader\nexport type Database = Reader\nexport type SchoolReader = Reader\n',
    ...Object.fromEntries(plants.map(([, file, text]) => [file, text])),
  })

  test('with exit code 1', () => expect(code).toBe(1))

  test.each(plants)('%s', (_what, file, _text, fix) => {
    expect(output).toMatch(new RegExp(`${file}:1\\n  handle of one school: .*${fix}`))
  })
})
