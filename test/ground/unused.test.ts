import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { checkPlanted } from './planted.ts'

const used = {
  'knip.config.ts': readFileSync(resolve(import.meta.dirname, '../../knip.config.ts'), 'utf8'),
  // Modules that the configuration imports.
  'src/operate/serve/programFile.mjs': 'export const programs = []\n',
  'test/clients/generators.ts': 'export const generators: { package: string }[] = []\n',
  'test/clients/libraries.ts': 'export const nodeLibraries: { package: string }[] = []\n',
  'package.json': JSON.stringify({ scripts: { start: 'node src/main.mjs' }, dependencies: { koa: '1.0.0', knip: '1.0.0' } }),
  'src/main.mjs': "import Koa from 'koa'\nimport { one } from './one.ts'\nnew Koa(one).listen()\n",
  'src/one.ts': 'export const one = {}\nexport interface Shape {\n  one: 1\n}\n',
}
const check = (files: Record<string, string>): { code: number | null; output: string } =>
  checkPlanted({ ...used, ...files }, ['node_modules/knip/bin/knip.js'])

test('a tree in which everything is used passes, exported types included', () => {
  expect(check({})).toEqual({ code: 0, output: expect.not.stringContaining('Unused') })
})

test('a file, an exported value and a package that nothing uses are found', () => {
  const { code, output } = check({
    'src/left.ts': 'export const left = 1\n',
    'src/one.ts': 'export const one = {}\nexport const two = 2\n',
    'src/main.mjs': "import { one } from './one.ts'\nObject.freeze(one)\n",
  })
  expect(output).toMatch(/^Unused files \(1\)\nsrc\/left\.ts/m)
  expect(output).toMatch(/^Unused dependencies \(1\)\nkoa /m)
  expect(output).toMatch(/^Unused exports \(1\)\ntwo /m)
  expect(code).toBe(1)
})
