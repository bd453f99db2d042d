import { describe, expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const check = (files: Record<string, string>): { code: number | null; output: string } => checkPlanted(files, ['scripts/imports.ts'])

const store = {
  'src/store/sql.ts': 'export const sql = 1\nexport interface Sql {\n  query: string\n}\n',
  'src/store/open.ts': 'export const open = 1\n',
}

test('a tree that keeps to the import table passes', () => {
  const { code, output } = check({
    ...store,
    'src/domain/rule.ts': "import { open } from '../store/open.ts'\nexport const rule = open\n",
    'src/policy/pure.ts': "import type { Sql } from '../store/sql.ts'\nexport const query = ({ query: text }: Sql) => text\n",
    'src/pages/page.ts': "import type Provider from 'oidc-provider'\nexport const issuer = ({ issuer: text }: Provider) => text\n",
    'src/main.ts': "import process from 'node:process'\nimport { rule } from './domain/rule.ts'\nprocess.exitCode = rule\n",
  })
  expect(output).toContain('no forbidden import')
  expect(code).toBe(0)
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
      'src/lib/up.ts',
      "import { sql } from '../store/sql.ts'\nexport const up = sql\n",
      'lib imports',
    ],
    [
      'a value where types alone are open',
      'src/policy/value.ts',
      "import { sql } from '../store/sql.ts'\nexport const value = sql\n",
      'policy imports types',
    ],
    [
      'a value together with a type of the same file',
      'src/policy/both.ts',
      "import type { Sql } from '../store/sql.ts'\nimport { sql } from '../store/sql.ts'\nexport const both: Sql = { query: String(sql) }\n",
      'policy imports types',
    ],
    [
      'a module that is not in the table',
      'src/attic/box.ts',
      "import { sql } from '../store/sql.ts'\nexport const box = sql\n",
      'known module',
    ],
    ['an import at run time', 'src/framework/late.ts', "export const late = () => import('../pages/page.ts')\n", 'framework imports'],
    ['a package of another module', 'src/agents/pool.ts', "import { Pool } from 'pg'\nexport const pool = Pool\n", 'pg owners'],
    [
      'a value of a package whose types alone are open',
      'src/pages/page.ts',
      "import Provider from 'oidc-provider'\nexport const page = Provider\n",
      'oidc-provider types',
    ],
    [
      "the engine's insides",
      'src/oidc/deep.ts',
      "import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js'\nexport const deep = InvalidGrant\n",
      'public entry',
    ],
    [
      'a package that a production install lacks',
      'src/oidc/tool.ts',
      "import { test } from 'vitest'\nexport const tool = test\n",
      'declared package',
    ],
    ['the process', 'src/http/pid.ts', "import { pid } from 'node:process'\nexport const number = pid\n", 'process'],
    ['a file that is not there', 'src/lib/gone.ts', "import { gone } from './away.ts'\nexport const here = gone\n", 'resolvable'],
    [
      'the generated client',
      'src/framework/client.ts',
      "import { client } from '../gen/client.ts'\nexport const used = client\n",
      'framework imports types',
    ],
    [
      'raw SQL in the domain',
      'src/domain/raw.ts',
      "import type { Sql } from '../store/sql.ts'\nexport const query = ({ query: text }: Sql) => text\n",
      'Kysely only',
    ],
  ]

  // One run checks all of them, because they are independent.
  const { code, output } = check({
    ...store,
    'src/pages/page.ts': '',
    'src/gen/client.ts': 'export const client = 1\n',
    ...Object.fromEntries(plants.map(([, file, text]) => [file, text])),
  })

  test('with exit code 1', () => expect(code).toBe(1))

  test.each(plants)('%s', (_what, file, _text, rule) => {
    const lines = output.split('\n')
    const named = lines.flatMap((line, at) => (line.startsWith(`${file} -> `) ? [lines[at + 1]] : []))
    expect(named).toContainEqual(expect.stringContaining(`  ${rule}: `))
  })

  test('a cycle of types', () => {
    const cycle = check({
      'src/lib/one.ts': "import type { Two } from './two.ts'\nexport interface One {\n  two: Two\n}\n",
      'src/lib/two.ts': "import type { One } from './one.ts'\nexport interface Two {\n  one: One\n}\n",
    })
    expect(cycle.output).toContain('no cycle: ')
    expect(cycle.code).toBe(1)
  })

  test('a cycle of values', () => {
    const circle = check({
      'src/lib/one.ts': "import { two } from './two.ts'\nexport const one = (): number => two()\n",
      'src/lib/two.ts': "import { one } from './one.ts'\nexport const two = (): number => one()\n",
    })
    expect(circle.output).toContain('no cycle: ')
    expect(circle.code).toBe(1)
  })

  test.each([
    ['pages', 'src/pages/a.ts', 'src/pages/b.ts', 'no cycle of pages: '],
    ['a resource and its parts', 'src/resources/courses.ts', 'src/resources/courseParts.ts', 'no cycle of resources: '],
  ])('a cycle of types between %s', (_what, one, other, rule) => {
    const importing = (path: string, name: string): string =>
      `import type { B } from './${path.split('/').at(-1)}'\nexport interface ${name} {\n  other: B\n}\nexport type B = string\n`
    const { code, output } = check({ [one]: importing(other, 'A'), [other]: importing(one, 'C') })
    expect([code, output]).toEqual([1, expect.stringContaining(rule)])
  })

  test('resources may refer to each other', () => {
    const { output } = check({
      'src/resources/courses.ts': "import { lecturers } from './lecturers.ts'\nexport const courses = () => lecturers\n",
      'src/resources/lecturers.ts': "import { courses } from './courses.ts'\nexport const lecturers = () => courses\n",
    })
    expect(output).toContain('no forbidden import')
  })

  test.each([
    ['in a template', 'src/domain/a.ts', 'const isOver = sql<boolean>`expires_at < now()`', 'expires_at'],
    ['of one word', 'src/resources/a.ts', "const isOver = sql`status = 'draft'`", 'status'],
    ['after a reference', 'src/framework/a.ts', `const isOver = sql\`\${now} < expires_at\``, 'expires_at'],
  ])('a column that no compiler checks: %s', (_what, path, text, column) => {
    const { code, output } = check({ ...store, [path]: `${text}\n` })
    expect([code, output]).toEqual([1, expect.stringContaining(`${path}:1\n  Kysely only: ${column} is written as text`)])
  })

  test('aliases, functions and literals in a template are not columns', () => {
    const text = `const points = sql\`result(question_id text) AS points, coalesce(\${a}, 'expires_at')\`\n`
    expect(check({ ...store, 'src/domain/a.ts': text }).output).toContain('no forbidden import')
  })

  test.each([
    ['a call', "export const find = (sql: { query(text: string): unknown }) => sql.query('SELECT 1')\n"],
    ['a template', `export const taken = (id: string) => \`UPDATE course SET version = 2 WHERE id = \${id}\`\n`],
    ['a string', "export const all = 'SELECT id\\nFROM course'\n"],
  ])('a statement as text in a module of the domain: %s', (_what, text) => {
    const { code, output } = check({ ...store, 'src/domain/statement.ts': text })
    expect([code, output]).toEqual([1, expect.stringContaining('src/domain/statement.ts:1\n  Kysely only: ')])
  })
})
