import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const packages = JSON.stringify({ dependencies: { koa: '1.0.0' }, devDependencies: {} })
const used = {
  'package.json': packages,
  'prisma/schema.prisma': '',
  'src/main.ts': "import Koa from 'koa'\nimport { one } from './lib/one.ts'\nexport const app = new Koa(one)\n",
  'src/lib/one.ts': 'export const one = {}\nexport interface Shape {\n  one: 1\n}\n',
  'test/app.test.ts': "import { app } from '../src/main.ts'\napp.use(() => {})\n",
  'scripts/a.ts': "export const start = 'node src/main.ts'\n",
  'bench/b.ts': "import { start } from '../scripts/a.ts'\nstart.trim()\n",
  'vite.config.ts': "export const run = 'bench/b.ts'\n",
}
const check = (files: Record<string, string>): { code: number | null; output: string } =>
  checkPlanted({ ...used, ...files }, ['scripts/unused.ts'])

test('a tree in which everything is used passes, exported types included', () => {
  const { code, output } = check({ 'vite.config.ts': "const run = 'bench/b.ts'\nvoid run\n" })
  expect(output).toContain('nothing unused')
  expect(code).toBe(0)
})

test.each([
  [
    'a value that no other file imports',
    { 'src/lib/one.ts': 'export const one = {}\nexport const two = 2\n' },
    'one.ts:2  two is exported',
  ],
  ['a file without an importer', { 'src/lib/left.ts': 'const left = 1\nvoid left\n' }, 'src/lib/left.ts: no file imports or starts it'],
  ['a package that no file uses', { 'src/main.ts': 'export const app = { use: (_work: () => void) => {} }\n' }, 'no file uses koa'],
])('%s is found', (_what, files, finding) => {
  const { code, output } = check(files)
  expect(output).toContain(finding)
  expect(code).toBe(1)
})
